/// Tells one version of a file's content from another, even from a copy, without reading it.
///
/// It stays the same when only the mode or the number of links changes.
package struct FileVersion: Hashable, Sendable, CustomStringConvertible {
  /// The file's device, inode, size and modification time.
  package let description: String

  /// - Returns: `nil` when there is no such file.
  package init?(_ path: String) { self.init([path]) }

  /// Identifies the version of several files that belong together.
  ///
  /// - Returns: `nil` when one of them is missing.
  package init?(_ paths: [String]) {
    var versions: [String] = []
    for path in paths {
      var facts = stat()
      guard stat(path, &facts) == 0 else { return nil }
      let time = facts.modification
      versions.append(
        "\(facts.st_dev)-\(facts.st_ino)-\(facts.st_size)-\(time.tv_sec).\(time.tv_nsec)"
      )
    }
    description = versions.joined(separator: " ")
  }
}
