import Foundation
import Synchronization

/// Room on the disk for the ends of turns.
///
/// A turn whose end nobody can write stays open, and goes on at the next start: also one that a person
/// was told has failed, and has asked again. So a coordinator writes nothing else without room for the ends, and
/// the file that holds the room makes place when the disk is full.
final class Reserve: Sendable {
  /// Bytes: a page of every table and index that an end changes, for some turns that end together.
  static let size = 128 << 10

  private let path: String
  private let isKept = Mutex(false)

  init(of journal: String) {
    path = journal + "-reserve"
  }

  /// Takes the room, if it is not taken already.
  /// - Returns: Whether it was not.
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

  /// Gives the room back; returns whether there was any.
  func spend() -> Bool {
    isKept.withLock { isKept in
      isKept = false
      return unlink(path) == 0
    }
  }

  private func fill() -> Bool {
    // By chance, so that no file system that compresses takes less for it.
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
