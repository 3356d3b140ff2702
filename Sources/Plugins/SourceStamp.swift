import Foundation

/// What the file system says of agents' sources, without reading them.
///
/// Every turn, pass of the baton and phone call asks for the agents as they are now; to read and
/// hash all sources each time would cost more than the rest of a phone call.
struct SourceStamp: Sendable, Equatable {
  private struct File: Sendable, Equatable {
    let path: String
    let inode: UInt64
    let size: Int
    /// Seconds since 1970; the time of the last change of anything, which no program can set back.
    let changed: Double
  }

  /// A clock may tick this slowly, and a file that is written twice within one tick looks the same.
  private static let tick = 2.0

  private let files: [File]

  /// Looks at files; one that is not there is part of what is seen.
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

  /// Whether a stamp that is equal to this one, which was taken at a time, means equal files.
  func isReliable(takenAt time: Date) -> Bool {
    files.allSatisfy { $0.changed < time.timeIntervalSince1970 - Self.tick }
  }
}

extension stat {
  fileprivate var changeTime: timespec {
    #if canImport(Darwin)
      st_ctimespec
    #else
      st_ctim
    #endif
  }
}
