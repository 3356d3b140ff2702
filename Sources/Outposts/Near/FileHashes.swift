import Supervision

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum FileSize {
  /// Returns the bytes of a file; `nil` where there is none.
  static func of(_ path: String) -> Int? {
    var facts = stat()
    return stat(path, &facts) == 0 ? Int(facts.st_size) : nil
  }
}

/// The hashes of files here, each computed once for every version of its file.
actor FileHashes {
  private static let pieceBytes = 1 << 20

  private var known: [FileVersion: String] = [:]

  /// - Throws: `LaunchError` when it cannot be read.
  func hash(of path: String) throws -> String {
    guard let version = FileVersion(path) else {
      throw LaunchError.system(call: "reading \(path)", code: ENOENT)
    }
    if let hash = known[version] { return hash }
    var hash = SHA256()
    guard let file = FileReader(path) else {
      throw LaunchError.system(call: "reading \(path)", code: errno)
    }
    while let piece = file.read(upTo: Self.pieceBytes) { hash.append(piece) }
    let digits = hash.finish()
    known[version] = digits
    return digits
  }
}

/// Reads a file piece by piece.
final class FileReader {
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  /// - Returns: `nil`, with `errno`, when it cannot be opened.
  init?(_ path: String) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { return nil }
  }

  deinit { systemClose(descriptor) }

  /// Returns the next bytes; `nil` at the end, or when no more can be read.
  func read(upTo count: Int) -> [UInt8]? {
    if buffer.count != count { buffer = [UInt8](repeating: 0, count: count) }
    let count = systemRead(descriptor, into: &buffer)
    return count > 0 ? Array(buffer[..<count]) : nil
  }
}
