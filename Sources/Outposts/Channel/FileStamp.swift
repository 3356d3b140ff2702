import PlatformLibraries
import Supervision

/// What tells one version of a file from another on every machine that has it.
struct FileStamp: Codable, Sendable, Equatable {
  var bytes: Int
  /// When its content was last changed, since 1970.
  var seconds: Int
  var nanoseconds: Int

  init(bytes: Int, seconds: Int, nanoseconds: Int) {
    (self.bytes, self.seconds, self.nanoseconds) = (bytes, seconds, nanoseconds)
  }

  /// - Returns: `nil` where there is no such file.
  init?(_ path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    let time = facts.modification
    self.init(bytes: Int(facts.st_size), seconds: time.tv_sec, nanoseconds: time.tv_nsec)
  }

  /// Returns the bytes of all files; `nil` where one of them is missing.
  static func bytes(of paths: [String]) -> Int? {
    let stamps = paths.compactMap(FileStamp.init)
    return stamps.count == paths.count ? stamps.reduce(0) { $0 + $1.bytes } : nil
  }

  /// Gives an open file the time of change.
  func apply(to descriptor: Int32) {
    let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
    futimens(descriptor, [time, time])
  }
}
