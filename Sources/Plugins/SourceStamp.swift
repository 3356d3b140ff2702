import Foundation
import PlatformLibraries

/// What the file system says about agents' sources, without reading them.
///
/// Every turn, pass of the baton and phone call asks for the current agents; reading and hashing
/// all sources each time would cost more than the rest of a phone call.
struct SourceStamp: Sendable, Equatable {
  private struct File: Sendable, Equatable {
    let path: String
    let inode: UInt64
    let size: Int
    /// The time of the last change of anything, in seconds since 1970; no program can set it back.
    let changed: Double
  }

  /// The slowest clock tick in seconds: a file written twice within one tick looks unchanged.
  private static let tick = 2.0

  private let files: [File]

  /// Examines files; a missing one is part of the result.
  init(_ paths: [String]) {
    files = paths.map { path in
      var status = stat()
      guard stat(path, &status) == 0 else {
        return File(path: path, inode: 0, size: -1, changed: 0)
      }
      let time = status.changeTime
      return File(
        path: path,
        inode: UInt64(status.st_ino),
        size: Int(status.st_size),
        changed: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
      )
    }
  }

  /// Whether a stamp equal to this one, taken at the given time, means equal files.
  func isReliable(takenAt time: Date) -> Bool {
    files.allSatisfy { $0.changed < time.timeIntervalSince1970 - Self.tick }
  }
}
