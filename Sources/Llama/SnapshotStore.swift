#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Prefixes that were computed once, kept in a folder for processes that cannot be forked from one
/// that has them.
///
/// Any number of processes may use one folder: a file appears whole or not at all, and what does
/// not read back as it was written is thrown away. Whatever goes wrong costs time and nothing else,
/// so nothing here throws; it is noted.
package struct SnapshotStore: Sendable {
  private static let suffix = ".prefix"

  /// The build that computes what is kept: another one may compute something else from the same
  /// tokens.
  let build: String

  private let folder: String
  private let byteLimit: Int
  /// One that leaves no room for another is not worth it.
  private var largestFile: Int { byteLimit / 2 }
  private let note: @Sendable (String) -> Void

  /// - Parameters:
  ///   - folder: Made where it is missing, for this user alone.
  ///   - build: Names this executable, with the llama.cpp in it.
  ///   - byteLimit: The files that were left alone the longest are removed beyond it.
  ///   - note: Told of everything that goes wrong.
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

  /// What was saved for a key; `nil` where nothing was, or nothing that can be trusted.
  package func state(for key: SnapshotKey) -> SequenceState? {
    let path = path(of: key)
    guard let bytes = SnapshotFile.load(path, atMost: largestFile) else { return nil }
    guard let state = SnapshotCodec.decode(bytes, for: key) else {
      discard(key, because: "it is torn, or was made for something else")
      return nil
    }
    // The time of the last use decides which files go first.
    SnapshotFile.touch(path)
    return state
  }

  /// Whether there is room for a state of so many bytes; where there is none that is noted.
  ///
  /// To be asked before the state is copied out of its context: a copy that nobody keeps may be
  /// more than this process has memory for.
  package func hasRoom(for byteCount: Int, of key: SnapshotKey) -> Bool {
    let size = SnapshotCodec.headCount(for: key) + byteCount
    if size <= largestFile { return true }
    note(
      "a prefix of \(key.tokens.count) tokens is not kept: it needs \(size) bytes of the"
        + " \(byteLimit) that all may have"
    )
    return false
  }

  /// Saves a state, unless it would be all that there is room for.
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
