import PlatformLibraries

/// A file in which the kernel describes a process.
enum ProcFile {
  /// Returns the whole content; empty where there is no such file.
  ///
  /// Such a file has no size, and Foundation takes its first piece for all of it, so it is read
  /// piece by piece.
  static func contents(of path: String) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = read(file, &buffer, buffer.count)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }
}
