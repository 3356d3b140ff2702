import Foundation
import Synchronization

/// Room in SQLite's log, written before it is used.
///
/// A file that grows with each commit has its size put on the disk too: half of what a commit waits for.
/// SQLite reads nothing behind what it has written, so zeros there are no part of the journal.
final class LogRoom: Sendable {
  /// Bytes that are written at once: what some thirty steps use, because a commit waits for them.
  static let piece = 512 << 10
  /// Bytes that stay free for everything else.
  private static let spared: UInt64 = 64 << 20

  private let path: String
  /// Bytes: SQLite begins the log anew about there, in the same file.
  private let limit: Int
  /// Bytes of the file when it was last looked at.
  private let size = Mutex(0)

  /// - Parameter pages: After how many SQLite moves the log into the journal itself.
  init(of journal: String, pages: Int) {
    path = journal + "-wal"
    limit = pages * (4096 + 24)
  }

  /// Whether the file has grown by itself, and would go on to: once for each time that it is asked for.
  func isUsedUp() -> Bool {
    size.withLock { size in
      let now = sizeOnDisk
      defer { size = now }
      return now > size && now < limit
    }
  }

  /// Writes the next piece; nobody else may write to the file meanwhile.
  func grow() {
    size.withLock { size in
      size = sizeOnDisk
      guard size > 0, size < limit, hasPlace else { return }
      let descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return }
      defer { close(descriptor) }
      let zeros = [UInt8](repeating: 0, count: Self.piece)
      // What is not written is no harm: the log grows by itself.
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
