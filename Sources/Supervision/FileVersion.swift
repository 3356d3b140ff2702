import Foundation
import Wire

/// Tells one version of a file's content from another without reading it.
package struct FileVersion: Hashable, Sendable, CustomStringConvertible {
  /// The file's device, inode, size and modification time.
  package let description: String

  /// - Returns: `nil` when there is no such file.
  package init?(_ path: String) { self.init([path]) }

  /// Identifies the version of several files that belong together.
  ///
  /// - Returns: `nil` when one of them is missing.
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

  /// Identifies the version of a model's files and of those through which it may see.
  ///
  /// - Parameter projector: The projector that was named; without one, any beside the model may be
  ///   used.
  /// - Returns: `nil` when a file of the model is missing.
  package init?(model path: String, projector: String?) {
    guard let files = FileVersion(ModelParts.of(path)) else { return nil }
    let parts = [files.description] + Self.sight(of: path, projector: projector)
    description = parts.joined(separator: " ")
  }

  /// The current versions of the named projector, or of those beside the model, because a missing
  /// one may have been added.
  static func sight(of model: String, projector: String?) -> [String] {
    (projector.map { [$0] } ?? Projectors.beside(model)).map { file in
      "\(file) \(FileVersion(file)?.description ?? "")"
    }
  }
}

extension stat {
  /// When the content was last modified.
  var modification: timespec {
    #if canImport(Darwin)
      st_mtimespec
    #else
      st_mtim
    #endif
  }
}
