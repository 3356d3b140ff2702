import Foundation
import Supervision

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
    try Self.read(path, by: Self.pieceBytes) { hash.append($0) }
    let digits = hash.finish()
    known[version] = digits
    return digits
  }

  private static func read(_ path: String, by size: Int, _ body: ([UInt8]) -> Void) throws {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw LaunchError.system(call: "reading \(path)", code: errno)
    }
    defer { try? file.close() }
    while let piece = try file.read(upToCount: size), !piece.isEmpty { body(Array(piece)) }
  }
}
