import Foundation

/// The files of this repository that tests use.
package enum Repository {
  package static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
  /// The smallest model, which ships with the sources.
  package static let pocketModel = root + "/deploy/models/pocket.gguf"

  /// Returns what the system's service manager is told, where it is a number.
  package static func setting(_ name: String) throws -> Int? {
    let file = root + "/deploy/orchestrator.service"
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    return lines.first { $0.hasPrefix("\(name)=") }.flatMap { Int($0.dropFirst(name.count + 1)) }
  }
}

/// Creates a folder for a test, which has to remove it.
package func temporaryFolder() throws -> String {
  let path = FileManager.default.temporaryDirectory
    .appending(path: "orchestrator-test-\(UUID().uuidString)").path
  try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  return path
}
