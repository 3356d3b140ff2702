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

  private let path: String
  /// The size, in bytes, around which SQLite starts the log over in the same file.
  private let limit: Int
  /// The size of the file, in bytes, when last checked.
  private let size = Mutex(0)

  /// Prepares the log room of a journal.
  /// - Parameter pages: The pages after which SQLite moves the log into the journal itself.
  init(of journal: String, pages: Int) {
    path = journal + "-wal"
    limit = pages * (4096 + 24)
  }

  /// Whether the file has grown by itself and would keep growing; true once per growth.
  func isUsedUp() -> Bool {
    size.withLock { size in
      let now = sizeOnDisk
      defer { size = now }
      return now > size && now < limit
    }
  }

  /// Writes the next piece; nobody else may write to the file in the meantime.
  func grow() {
    size.withLock { size in
      size = sizeOnDisk
      guard size > 0, size < limit, hasPlace else { return }
      let descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return }
      defer { close(descriptor) }
      let zeros = [UInt8](repeating: 0, count: Self.piece)
      // A short write does no harm: the log then grows by itself.
      size += max(0, pwrite(descriptor, zeros, zeros.count, off_t(size)))
    }
  }

  private var sizeOnDisk: Int {
    var facts = stat()
    return stat(path, &facts) == 0 ? Int(facts.st_size) : 0
  }

  private var hasPlace: Bool {
    var facts = statvfs()
    guard statvfs(path, &facts) == 0 else { return false }
    return UInt64(facts.f_bavail) * UInt64(facts.f_frsize) > Self.spared
  }
}
