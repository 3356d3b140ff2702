import Foundation

/// Tells one content of a file from another, without reading it.
package struct FileVersion: Hashable, Sendable, CustomStringConvertible {
  /// What the system says of the file: another file, another size, another time.
  package let description: String

  /// - Returns: `nil` when there is no such file.
  package init?(_ path: String) { self.init([path]) }

  /// That of several files, which are one thing.
  /// - Returns: `nil` when one of them is not there.
  init?(_ paths: [String]) {
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

extension stat {
  /// When the content was changed for the last time.
  var modification: timespec {
    #if canImport(Darwin)
      st_mtimespec
    #else
      st_mtim
    #endif
  }
}
