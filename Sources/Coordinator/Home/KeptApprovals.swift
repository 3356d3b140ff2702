import Foundation

/// What a person has approved, in a file of its own.
protocol KeptApprovals: Codable {
  init()
}

extension KeptApprovals {
  /// Reads what was approved; nothing, where that cannot be read.
  init(path: String) {
    let data = FileManager.default.contents(atPath: path)
    self = data.flatMap { try? JSONDecoder().decode(Self.self, from: $0) } ?? Self()
  }

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    try encoder.encode(self).write(to: URL(filePath: path), options: .atomic)
    chmod(path, 0o600)
  }
}
