package import Transcripts

/// A tool as its server describes it.
///
/// All of it is the server's word: a description is an instruction to a model, and that a tool
/// changes nothing is a promise.
package struct MCPListedTool: Sendable, Equatable {
  package let name: String
  package let description: String
  /// The JSON Schema of the arguments.
  package let parameters: GeneratedContent
  /// Whether it says that it changes nothing.
  package let isReadOnly: Bool
  /// Whether it says that a second call with the same arguments has no further effect.
  package let isIdempotent: Bool

  /// Reads an element of the list of tools; `nil` if it cannot be called.
  init?(_ content: GeneratedContent) {
    guard let name = content["name"]?.text, Self.isUsable(name),
      let parameters = content["inputSchema"], parameters.members != nil
    else { return nil }
    self.name = name
    self.parameters = parameters
    description = content["description"]?.text ?? content["title"]?.text ?? ""
    let annotations = content["annotations"]
    isReadOnly = annotations?["readOnlyHint"]?.flag ?? false
    isIdempotent = annotations?["idempotentHint"]?.flag ?? false
  }

  /// Reads what ``lines`` say of a tool; `nil` if they are those of no tool.
  package init?(name: String, lines: [String]) {
    func content(_ start: String) -> GeneratedContent? {
      lines.first { $0.hasPrefix(start) }
        .flatMap { try? GeneratedContent(json: String($0.dropFirst(start.count))) }
    }
    guard let description = content("description: ")?.text,
      let parameters = content("arguments: ")
    else { return nil }
    (self.name, self.description, self.parameters) = (name, description, parameters)
    isReadOnly = lines.contains("changes nothing: true")
    isIdempotent = lines.contains("can be repeated: true")
  }

  private static func isUsable(_ name: String) -> Bool {
    (1...128).contains(name.utf8.count)
      && name.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
  }

  /// All that a person approves of the tool, in lines of JSON that can be compared.
  package var lines: [String] {
    [
      "name: \(name)", "description: \(GeneratedContent.text(description).jsonString)",
      "arguments: \(parameters.jsonString)", "changes nothing: \(isReadOnly)",
      "can be repeated: \(isIdempotent)",
    ]
  }
}
