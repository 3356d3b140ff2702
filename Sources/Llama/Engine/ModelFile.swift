import Libllama
import PlatformLibraries

/// A model file on disk, checked before llama.cpp maps it.
struct ModelFile {
  let path: String
  /// The size in bytes of all files that the model is split into.
  let size: Int64
  /// Changes with the files: their sizes, their times, and the content at both ends of each.
  let identity: String

  init(path: String) throws(LlamaModelError) {
    self.path = path
    var parts: [(size: Int64, identity: String)] = []
    for part in Self.parts(of: path) { parts.append(try Self.facts(of: part)) }
    size = parts.reduce(0) { $0 + $1.size }
    identity = parts.map(\.identity).joined(separator: "; ")
  }

  /// Returns the files of a model, by the names that llama.cpp gives them.
  private static func parts(of path: String) -> [String] {
    let size = path.utf8.count + 1
    guard let count = Int32(path.dropLast(".gguf".count).suffix(5)), (2...1000) ~= count,
      let prefix = LlamaModelFacts.text(size, { llama_split_prefix($0, $1, path, 0, count) }),
      !prefix.isEmpty
    else { return [path] }
    return (0..<count).compactMap { number in
      LlamaModelFacts.text(size) { llama_split_path($0, $1, prefix, number, count) }
    }
  }

  private static func facts(
    of path: String
  ) throws(LlamaModelError) -> (size: Int64, identity: String) {
    let status = try Self.statusOfRegularFile(path)
    let size = Int64(status.st_size)
    let ends = try Self.ends(of: path, size: Int(size))
    guard ends.starts(with: "GGUF".utf8) else {
      throw .notGGUF(path: path, magic: Array(ends.prefix(4)))
    }
    var checksum = Checksum()
    ends.withUnsafeBytes { checksum.add($0) }
    let time = "\(status.modification.tv_sec).\(status.modification.tv_nsec)"
    return (size, "\(size) bytes of \(time), \(String(checksum.value, radix: 16))")
  }

  /// Checks the file before opening it, because opening a pipe would wait for its writer.
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
