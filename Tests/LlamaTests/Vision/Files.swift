import Foundation

/// A folder of files that is removed with its test.
final class Files {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "vision-\(UUID().uuidString.prefix(8))").path

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Writes a file and returns its path.
  func write(_ data: Data, _ name: String) throws -> String {
    let path = "\(folder)/\(name)"
    try data.write(to: URL(filePath: path))
    return path
  }
}
