import Foundation
import Synchronization

/// Disk space reserved for the ends of turns.
///
/// A turn whose end cannot be written stays open and goes on at the next start, even one that a
/// person was told has failed and has asked again. The coordinator therefore writes nothing else
/// unless this space is reserved, and deletes the file that reserves it when the disk is full.
final class Reserve: Sendable {
  /// The reserved bytes: a page of every table and index that an end changes, for several ends.
  static let size = 256 << 10

  private let path: String
  private let isKept = Mutex(false)

  init(of journal: String) {
    path = journal + "-reserve"
  }

  /// Reserves the space unless it is reserved already.
  /// - Returns: Whether it was not reserved before.
  /// - Throws: `JournalError.full` when there is too little.
  func keep(for journal: String) throws -> Bool {
    try isKept.withLock { isKept in
      if isKept { return false }
      guard Self.size(of: path) == Self.size || fill() else {
        throw JournalError.full(path: journal)
      }
      isKept = true
      return true
    }
  }

  /// Releases the space.
  /// - Returns: Whether any was reserved.
  func spend() -> Bool {
    isKept.withLock { isKept in
      isKept = false
      return unlink(path) == 0
    }
  }

  private func fill() -> Bool {
    // Random bytes, so that a compressing file system does not allocate less.
    let bytes = try? FileHandle(forReadingAtPath: "/dev/urandom")?.read(upToCount: Self.size)
    let isMade = FileManager.default.createFile(
      atPath: path,
      contents: bytes,
      attributes: [.posixPermissions: 0o600]
    )
    if isMade, Self.size(of: path) == Self.size { return true }
    unlink(path)
    return false
  }

  private static func size(of path: String) -> Int? {
    var facts = stat()
    return stat(path, &facts) == 0 ? Int(facts.st_size) : nil
  }
}
