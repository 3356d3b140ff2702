import Foundation

/// A file beside the folder of agents that says what else is started, and that a person approves.
enum SettingsFile {
  /// The most bytes of such a file.
  private static let maximumBytes = 1 << 20

  static func path(_ name: String, besides agents: String) -> String {
    URL(filePath: agents).deletingLastPathComponent().appending(path: name).path
  }

  /// Returns the text of the file; `nil` if there is none.
  static func content(of path: String) throws(FileAccessError) -> String? {
    guard access(path, F_OK) == 0 else { return nil }
    return String(
      decoding: try FileContent.content(of: path, atMost: maximumBytes),
      as: UTF8.self
    )
  }
}
