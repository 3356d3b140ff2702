package import PlatformLibraries

/// The folders of all agents' computed prefixes, of which a worker bounds only its own agent's.
package struct PrefixFolders: Sendable {
  /// A file used this recently may just be being read, also by a worker of another coordinator.
  private static let freshSeconds = 3600.0

  private let path: String
  private let byteLimit: Int

  package init(path: String, byteLimit: Int = 4 << 30) {
    self.path = path
    self.byteLimit = byteLimit
  }

  private struct File {
    let path: String
    let folder: String
    let bytes: Int
    let lastUse: Date
  }

  /// Removes the least recently used files of all agents beyond the limit, and the folders that
  /// this leaves empty: their agents may be gone.
  ///
  /// - Parameter spared: The folders of living processes, in which a confined one could write no
  ///   more once the folder was removed, even if there were another of the same name.
  /// - Returns: The number of files removed.
  @discardableResult
  package func prune(sparing spared: Set<String> = [], now: Date = Date()) -> Int {
    let files = files().sorted { $0.lastUse < $1.lastUse }
    let fresh = now.addingTimeInterval(-Self.freshSeconds)
    var bytes = files.reduce(0) { $0 + $1.bytes }
    var removed: [File] = []
    for file in files where bytes > byteLimit && file.lastUse < fresh {
      guard !spared.contains(file.folder), unlink(file.path) == 0 else { continue }
      bytes -= file.bytes
      removed.append(file)
    }
    // One that is not empty stays.
    for folder in Set(removed.map(\.folder)) { rmdir(folder) }
    return removed.count
  }

  /// Returns all files, not only ours: an agent's code may write here too.
  private func files() -> [File] {
    var files: [File] = []
    for agent in names(in: path) {
      let folder = "\(path)/\(agent)"
      var facts = stat()
      guard lstat(folder, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else { continue }
      for name in names(in: folder) {
        let file = "\(folder)/\(name)"
        guard lstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { continue }
        // A worker notes a use by writing to the file.
        let time = facts.modification
        files.append(
          File(
            path: file,
            folder: folder,
            bytes: Int(facts.st_size),
            lastUse: Date(
              timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
            )
          )
        )
      }
    }
    return files
  }

  private func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }
}
