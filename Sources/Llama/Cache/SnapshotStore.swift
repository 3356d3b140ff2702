import PlatformLibraries

/// Computed prefixes, kept in a folder for processes that cannot be forked from one that has them.
///
/// Any number of processes may share a folder: a file appears whole or not at all, and one that
/// does not read back as written is discarded. A failure costs only time, so nothing here throws;
/// failures are logged.
package struct SnapshotStore: Sendable {
  private static let suffix = ".prefix"

  /// The build that computes the prefixes: another one may compute something else from the same
  /// tokens.
  let build: String

  private let folder: String
  private let byteLimit: Int
  /// A snapshot that leaves no room for another is not worth keeping.
  private var largestFile: Int { byteLimit / 2 }
  private let note: @Sendable (String) -> Void

  /// - Parameters:
  ///   - folder: Created where it is missing, for this user alone.
  ///   - build: Identifies this executable, including its llama.cpp.
  ///   - byteLimit: Beyond it the least recently used files are removed.
  ///   - note: Receives everything that goes wrong.
  package init(
    folder: String,
    build: String,
    byteLimit: Int = 512 << 20,
    note: @escaping @Sendable (String) -> Void
  ) {
    self.folder = folder
    self.build = build
    self.byteLimit = byteLimit
    self.note = note
    mkdir(folder, 0o700)
  }

  /// Returns the state saved for a key; `nil` where there is none that can be trusted.
  package func state(for key: SnapshotKey) -> SequenceState? {
    let path = path(of: key)
    guard let bytes = SnapshotFile.load(path, atMost: largestFile) else { return nil }
    guard let state = SnapshotCodec.decode(bytes, for: key) else {
      discard(key, because: "it is torn, or was made for something else")
      return nil
    }
    // The time of last use decides which files go first.
    SnapshotFile.touch(path)
    return state
  }

  /// Returns whether there is room for a state of this size, and logs when there is not.
  ///
  /// Ask before copying the state out of its context: a copy that is not kept may exceed this
  /// process's memory.
  package func hasRoom(for byteCount: Int, of key: SnapshotKey) -> Bool {
    let size = SnapshotCodec.headCount(for: key) + byteCount
    if size <= largestFile { return true }
    note(
      "a prefix of \(key.tokens.count) tokens is not kept: it needs \(size) bytes of the"
        + " \(byteLimit) that all may have"
    )
    return false
  }

  /// Saves a state, unless it would take up too much of the room.
  package func save(_ state: SequenceState, for key: SnapshotKey) {
    guard hasRoom(for: state.bytes.count, of: key) else { return }
    let head = SnapshotCodec.head(of: state.bytes, for: key)
    do throws(SnapshotFault) {
      try SnapshotFile.store([head, state.bytes], to: path(of: key))
    } catch {
      return note("a prefix cannot be kept in \(folder): \(error.step): \(error.reason)")
    }
    removeOldest()
  }

  func discard(_ key: SnapshotKey, because reason: String) {
    note("the prefix in \(path(of: key)) was discarded: \(reason)")
    unlink(path(of: key))
  }

  private func path(of key: SnapshotKey) -> String { "\(folder)/\(key.name)\(Self.suffix)" }

  private func removeOldest() {
    var files = SnapshotFile.list(folder, suffix: Self.suffix)
    var total = files.reduce(0) { $0 + $1.size }
    files.sort { $0.lastUse < $1.lastUse }
    for file in files where total > byteLimit {
      unlink(file.path)
      total -= file.size
    }
  }
}
