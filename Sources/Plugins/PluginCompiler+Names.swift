import Foundation

/// The names of agents whose sources do not compile: only a compiled agent knows its name.
extension PluginCompiler {
  private struct Named: Decodable {
    let name: String
  }

  /// Whether a source that makes no plugin now may be that of an agent.
  ///
  /// Its last plugin tells, even one that only another build could load. Without any, the name of
  /// the file and its text have to do, which may name other agents, too.
  func mayDeclare(_ agent: String, in source: AgentSource) -> Bool {
    if let name = lastName(of: source) { return name == agent }
    if Self.letters(of: source.name) == Self.letters(of: agent) { return true }
    let literal = Data("\"\(agent)\"".utf8)
    return source.files.contains { file in
      // A pipe could be waited for without end.
      AgentSource.isFile(file)
        && FileManager.default.contents(atPath: file)?.range(of: literal) != nil
    }
  }

  /// Returns the name of an agent's type as its source spells it.
  ///
  /// A file's name may be in another Unicode form than the source: file systems, archives and
  /// repositories change it, and the compiler compares names byte by byte.
  static func typeName(in source: AgentSource) -> String {
    let name = source.name
    guard name.utf8.contains(where: { $0 >= 0x80 }) else { return name }
    let forms = [
      name, name.precomposedStringWithCanonicalMapping, name.decomposedStringWithCanonicalMapping,
    ]
    let texts = source.files.filter(AgentSource.isFile)
      .compactMap { FileManager.default.contents(atPath: $0) }
    return forms.first { form in
      texts.contains { $0.range(of: Data(form.utf8)) != nil }
    } ?? name
  }

  private func lastName(of source: AgentSource) -> String? {
    guard let file = cache.lastSlot(of: source)?.descriptionFile,
      let bytes = FileManager.default.contents(atPath: file)
    else { return nil }
    // Of a description by another version, the rest may have another form.
    return try? JSONDecoder().decode(Named.self, from: bytes).name
  }

  /// Returns what the names of a type and of its agent have in common, such as WebScout and
  /// web_scout.
  private static func letters(of name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }
}
