/// How much a worker may leave in a folder.
package struct FolderQuota: Sendable, Equatable {
  /// Twice what well-behaved workers keep of prefixes, of which they remove the oldest.
  package static let prefixes = Self(bytes: 1 << 30, files: 4096)

  package var bytes: Int
  /// The number of files, folders and anything else with a name.
  package var files: Int

  package init(bytes: Int = 4 << 30, files: Int = 65_536) {
    self.bytes = bytes
    self.files = files
  }
}
