#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A model file as it lies on disk, checked before llama.cpp maps it.
struct ModelFile {
  let path: String
  let size: Int64
  /// Changes with the file: its size, its time, and what stands at both of its ends.
  let identity: String

  init(path: String) throws(LlamaModelError) {
    self.path = path
    let status = try Self.statusOfRegularFile(path)
    size = Int64(status.st_size)
    let ends = try Self.ends(of: path, size: Int(size))
    guard ends.starts(with: "GGUF".utf8) else {
      throw .notGGUF(path: path, magic: Array(ends.prefix(4)))
    }
    var checksum = Checksum()
    ends.withUnsafeBytes { checksum.add($0) }
    let time = "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    identity = "\(size) bytes of \(time), \(String(checksum.value, radix: 16))"
  }

  /// Asks before opening: to open a pipe would wait for its writer.
  private static func statusOfRegularFile(_ path: String) throws(LlamaModelError) -> stat {
    var status = stat()
    guard stat(path, &status) == 0 else {
      let code = errno
      throw code == ENOENT || code == ENOTDIR
        ? .missingFile(path: path) : .unreadable(path: path, code: code)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .notARegularFile(path: path)
    }
    return status
  }

  private static func ends(of path: String, size: Int) throws(LlamaModelError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .unreadable(path: path, code: errno)
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    for offset in [0, max(0, size - buffer.count)] {
      let count = pread(descriptor, &buffer, buffer.count, offset)
      guard count >= 0 else {
        throw .unreadable(path: path, code: errno)
      }
      bytes += buffer.prefix(count)
    }
    return bytes
  }
}
