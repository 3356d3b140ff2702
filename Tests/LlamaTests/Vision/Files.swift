import Foundation

/// Files of a test, gone with it.
final class Files {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "vision-\(UUID().uuidString.prefix(8))").path

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Writes a file and says where it is.
  func write(_ data: Data, _ name: String) throws -> String {
    let path = "\(folder)/\(name)"
    try data.write(to: URL(filePath: path))
    return path
  }
}
