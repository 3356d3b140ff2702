import Foundation
import Synchronization

/// Preallocated room in SQLite's log.
///
/// If the file grew with each commit, its size would have to reach the disk too, which is half of
/// what a commit waits for. SQLite reads nothing beyond what it has written, so trailing zeros are
/// not part of the journal.
final class LogRoom: Sendable {
  /// The bytes written at once: enough for about thirty steps, because a commit waits for them.
  static let piece = 512 << 10
  /// The bytes that stay free for everything else.
  private static let spared: UInt64 = 64 << 20

  private struct State {
    /// The log, once it exists; closed with this object.
    var descriptor: Int32 = -1
    /// Its size, in bytes, when last checked.
    var size = 0
  }

  private let path: String
  /// The size, in bytes, around which SQLite starts the log over in the same file.
  private let limit: Int
  private let state = Mutex(State())

  /// Prepares the log room of a journal.
  /// - Parameter pages: The pages after which SQLite moves the log into the journal itself.
  init(of journal: String, pages: Int) {
    path = journal + "-wal"
    limit = pages * (4096 + 24)
  }

  deinit {
    let descriptor = state.withLock { $0.descriptor }
    if descriptor >= 0 { close(descriptor) }
  }

  /// Whether the file has grown by itself and would keep growing; true once per growth.
  func isUsedUp() -> Bool {
    state.withLock { state in
      let now = size(&state)
      defer { state.size = now }
      return now > state.size && now < limit
    }
  }

  /// Writes the next piece; nothing else may write to the file in the meantime.
  func grow() {
    state.withLock { state in
      state.size = size(&state)
      guard state.size > 0, state.size < limit, hasPlace else { return }
      let zeros = [UInt8](repeating: 0, count: Self.piece)
      // A short write does no harm: the log then grows by itself.
      state.size += max(0, pwrite(state.descriptor, zeros, zeros.count, off_t(state.size)))
    }
  }

  /// Returns the size on disk; 0 while there is no log.
  ///
  /// Not by `stat`: Linux gives a file whose times were asked for a new time with its next write,
  /// and the commit would then wait until that time, too, is on disk.
  private func size(_ state: inout State) -> Int {
    if state.descriptor < 0 { state.descriptor = open(path, O_RDWR | O_CLOEXEC) }
    return max(0, Int(lseek(state.descriptor, 0, SEEK_END)))
  }

  private var hasPlace: Bool {
    var facts = statvfs()
    guard statvfs(path, &facts) == 0 else { return false }
    return UInt64(facts.f_bavail) * UInt64(facts.f_frsize) > Self.spared
  }
}
