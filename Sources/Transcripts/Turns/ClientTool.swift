package import PlatformLibraries

/// A function that the sender of a prompt performs itself for the agents that answer.
///
/// An agent whose profile says `clientTools()` can call it; the turn then waits until the sender, or
/// another client, submits the output.
package struct ClientTool: Codable, Sendable, Equatable {
  package var name: String
  package var description: String
  package var parameters: JSONSchema

  package init(name: String, description: String, parameters: JSONSchema) {
    self.name = name
    self.description = description
    self.parameters = parameters
  }
}

/// What a client's function has returned for a call.
package struct ClientToolOutput: Codable, Sendable, Equatable {
  package var callID: String
  /// The output as the model reads it.
  package var text: String
  /// The PNG or JPEG files that the model is shown with it; `nil` for none.
  package var images: [Data]?

  package init(callID: String, text: String, images: [Data] = []) {
    (self.callID, self.text) = (callID, text)
    self.images = images.isEmpty ? nil : images
  }

  package var segments: [Transcript.Segment] {
    let shown = (images ?? []).map { image in
      Transcript.Segment.attachment(.init(content: .image(.init(imageData: image))))
    }
    return [.text(.init(content: text))] + shown
  }

  /// What is wrong with one of its images; `nil` if nothing is.
  package var flaw: String? {
    (images ?? []).lazy.compactMap { Transcript.ImageAttachment(imageData: $0).flaw }.first
  }
}

/// Why functions of a client cannot be offered to agents.
package enum ClientToolFault: Error, Sendable, Equatable {
  case tooMany(Int)
  case notAName(String)
  case twice(String)
  case tooLarge(bytes: Int)
}

extension ClientToolFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooMany(let count):
      "\(count) functions were sent; a turn can have \(ClientTool.maximumCount) at most."
    case .notAName(let name):
      "'\(name.prefix(80))' cannot be the name of a function. Use up to"
        + " \(ToolName.maximumLength) letters of ASCII, digits, '_' and '-'."
    case .twice(let name): "Two functions are named '\(name)'. Give each a name of its own."
    case .tooLarge(let bytes):
      "The functions have \(bytes) bytes in all; the limit is \(ClientTool.maximumBytes). Send fewer"
        + " functions, or shorten their descriptions and schemas."
    }
  }
}

extension ClientTool {
  fileprivate static let maximumCount = 128
  /// Far more than any window has room for.
  fileprivate static let maximumBytes = 1 << 20

  fileprivate var bytes: Int {
    name.utf8.count + description.utf8.count + parameters.document.jsonString.utf8.count
  }
}

extension [ClientTool] {
  /// Checks that the functions can be offered to agents.
  package func validate() throws(ClientToolFault) {
    guard count <= ClientTool.maximumCount else { throw .tooMany(count) }
    var names: Set<String> = []
    for tool in self {
      guard ToolName.isAccepted(tool.name) else { throw .notAName(tool.name) }
      guard names.insert(tool.name).inserted else { throw .twice(tool.name) }
    }
    let bytes = reduce(0) { $0 + $1.bytes }
    guard bytes <= ClientTool.maximumBytes else { throw .tooLarge(bytes: bytes) }
  }
}
