import Foundation

extension Rules {
  /// How large a type is, over all of its files.
  struct TypeSize: Equatable {
    var lines = 0
    var storedProperties = 0
  }

  static let maximumLines = 600
  static let maximumStoredProperties = 12

  /// The sizes of the types of each room, by room and name; nested types count as part of the outer
  /// one's lines.
  ///
  /// Relies on the form that the formatter gives: what begins in the first column is at the top.
  static func types(in sources: [Source]) -> [String: TypeSize] {
    var types: [String: TypeSize] = [:]
    for source in sources {
      var current: (name: String, isExtension: Bool)?
      for line in source.lines {
        if let found = declaredType(line) {
          current = ("\(source.room).\(found.name)", found.isExtension)
        }
        guard let type = current else { continue }
        types[type.name, default: TypeSize()].lines += 1
        if !type.isExtension, isStoredProperty(line) {
          types[type.name]?.storedProperties += 1
        }
        if line == "}" { current = nil }
      }
    }
    return types
  }

  private static let modifiers: Set<Substring> = [
    "fileprivate", "final", "indirect", "internal", "lazy", "mutating", "nonisolated", "package",
    "private", "public", "unowned", "weak",
  ]

  private static func words(_ line: Substring) -> [Substring] {
    line.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." && $0 != "@" }
      .filter { !modifiers.contains($0) && !$0.hasPrefix("@") && $0 != "set" }
  }

  private static func declaredType(_ line: Substring) -> (name: String, isExtension: Bool)? {
    guard let first = line.first, first.isLetter || first == "@" else { return nil }
    let words = words(line)
    guard words.count > 1,
      ["actor", "class", "enum", "extension", "protocol", "struct"].contains(words[0])
    else { return nil }
    let name = words[1].split(separator: ".").first.map(String.init) ?? ""
    return (name, words[0] == "extension")
  }

  private static func isStoredProperty(_ line: Substring) -> Bool {
    guard line.hasPrefix("  "), !line.dropFirst(2).hasPrefix(" ") else { return false }
    let words = words(line)
    guard let first = words.first, first == "let" || first == "var" else { return false }
    // What has a body before any value is computed.
    let beforeValue = line.prefix { $0 != "=" }
    return first == "let" || !beforeValue.contains("{")
  }

  /// The subjects that are too long to be read in a list.
  static func longSubjects(_ subjects: [String]) -> [String] {
    subjects.filter { $0.count > 72 }
  }
}
