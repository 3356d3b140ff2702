import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The worker's log: its standard error.
enum Log {
  static func write(_ line: String) {
    _ = writePart(of: Array("\(Death.ownLinePrefix)\(line)\n".utf8)[...], to: STDERR_FILENO)
  }
}
