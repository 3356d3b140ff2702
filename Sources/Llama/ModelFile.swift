#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A model file as it lies on disk, checked before llama.cpp maps it.
struct ModelFile {
  let path: String
  let size: Int64

  init(path: String) throws(LlamaModelError) {
    self.path = path
    self.size = try Self.sizeOfRegularFile(path)
    let magic = try Self.magic(of: path)
    guard magic == Array("GGUF".utf8) else {
      throw .notGGUF(path: path, magic: magic)
    }
  }

  /// Asks before opening: to open a pipe would wait for its writer.
  private static func sizeOfRegularFile(_ path: String) throws(LlamaModelError) -> Int64 {
    var status = stat()
    guard stat(path, &status) == 0 else {
      let code = errno
      throw code == ENOENT || code == ENOTDIR
        ? .missingFile(path: path) : .unreadable(path: path, code: code)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .notARegularFile(path: path)
    }
    return Int64(status.st_size)
  }

  private static func magic(of path: String) throws(LlamaModelError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .unreadable(path: path, code: errno)
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4)
    let count = read(descriptor, &bytes, bytes.count)
    guard count >= 0 else {
      throw .unreadable(path: path, code: errno)
    }
    return Array(bytes.prefix(count))
  }
}
