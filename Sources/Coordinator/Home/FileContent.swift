package import Foundation

/// A file that a person gives to a command.
package enum FileContent {
  /// Reads a file.
  /// - Parameters:
  ///   - limit: The maximum size in bytes, checked first, so that nothing large is read in vain.
  ///   - acceptsPipe: Whether it may be a pipe that has a name, such as a shell's `<(…)`.
  package static func content(
    of path: String,
    atMost limit: Int = .max,
    acceptsPipe: Bool = false
  ) throws(FileAccessError) -> Data {
    let descriptor = try opened(path, atMost: limit, acceptsPipe: acceptsPipe)
    defer { close(descriptor) }
    return try content(from: descriptor)
  }

  /// Reads a descriptor to its end.
  package static func content(from descriptor: Int32) throws(FileAccessError) -> Data {
    var content = Data()
    var bytes = [UInt8](repeating: 0, count: 256 * 1024)
    while true {
      let count = read(descriptor, &bytes, bytes.count)
      if count > 0 {
        content.append(contentsOf: bytes[..<count])
      } else if count == 0 {
        return content
      } else if errno != EINTR {
        throw FileAccessError(code: errno)
      }
    }
  }

  /// Opens a file for reading.
  package static func opened(
    _ path: String,
    atMost limit: Int = .max,
    acceptsPipe: Bool = false
  ) throws(FileAccessError) -> Int32 {
    var facts = stat()
    guard stat(path, &facts) == 0 else { throw FileAccessError(code: errno) }
    // Before it is opened: that would wait for the writer of a pipe, and a device may have no end.
    switch facts.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFIFO where acceptsPipe: break
    case S_IFDIR: throw .folder
    default: throw acceptsPipe ? .neitherFileNorPipe : .noFile
    }
    guard facts.st_size <= limit else { throw .tooLarge(bytes: Int(facts.st_size)) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileAccessError(code: errno) }
    return descriptor
  }
}
