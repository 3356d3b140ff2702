import Foundation

extension String {
  /// Returns the path that a person has written as an absolute one, with a home in place of `~`.
  ///
  /// - Parameter folder: What the path is relative to; `nil` for the working directory.
  func absolutePath(home: String, in folder: String? = nil) -> String {
    let expanded = self == "~" || hasPrefix("~/") ? home + dropFirst() : self
    let base = folder.map { URL(filePath: $0, directoryHint: .isDirectory) }
    return URL(filePath: expanded, relativeTo: base).standardizedFileURL.path
  }
}
