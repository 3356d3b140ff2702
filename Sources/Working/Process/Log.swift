import PlatformLibraries
import Wire

/// The worker's log: its standard error.
enum Log {
  static func write(_ line: String) {
    _ = writeAll(Array("\(Death.ownLinePrefix)\(line)\n".utf8), to: STDERR_FILENO)
  }
}
