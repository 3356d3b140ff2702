import Dispatch
import PlatformLibraries
import Supervision
import Synchronization

/// The hashes of files here, each computed once for every version of its file, whichever hosts it is
/// sent to.
package final class FileHashes: Sendable {
  private struct Known {
    let version: FileVersion
    let hash: Task<String, any Error>
  }

  private static let pieceBytes = 1 << 20

  private let known = Mutex<[String: Known]>([:])

  package init() {}

  /// Describes a file to be sent.
  ///
  /// - Throws: `LaunchError` when it cannot be read.
  func file(
    _ path: String,
    as kind: StagedFile.Kind,
    basis: [StagedFile.Basis]? = nil
  ) async throws -> StagedFile {
    let hash = try await hash(of: path, followsLink: kind.followsLink)
    guard let stamp = FileStamp(path) else {
      throw LaunchError.system(call: "reading \(path)", code: ENOENT)
    }
    return StagedFile(hash: hash, kind: kind, stamp: stamp, basis: basis)
  }

  private func hash(of path: String, followsLink: Bool) async throws -> String {
    guard let version = FileVersion(path) else {
      throw LaunchError.system(call: "reading \(path)", code: ENOENT)
    }
    let hash = known.withLock { known in
      if let entry = known[path], entry.version == version { return entry.hash }
      // Unstructured, so that a launch that is given up stops it for no other.
      let hash = Task { try await Self.compute(path, version, followsLink: followsLink) }
      known[path] = Known(version: version, hash: hash)
      return hash
    }
    do {
      return try await hash.valueUnlessCancelled()
    } catch let error as CancellationError {
      throw error
    } catch {
      known.withLock { known in
        if known[path]?.version == version { known[path] = nil }
      }
      throw error
    }
  }

  /// Reads a file on no thread of Swift's tasks: a model takes minutes.
  private static func compute(
    _ path: String,
    _ version: FileVersion,
    followsLink: Bool
  ) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global(qos: .utility).async {
        guard let file = FileReader(path, followsLink: followsLink) else {
          let problem = LaunchError.system(call: "reading \(path)", code: errno)
          return continuation.resume(throwing: problem)
        }
        var hash = SHA256()
        while let piece = file.read(upTo: pieceBytes) { hash.append(piece) }
        // One that was changed meanwhile has the hash of nothing that ever was.
        guard FileVersion(path) == version else {
          let problem = LaunchError.system(call: "reading \(path)", code: ESTALE)
          return continuation.resume(throwing: problem)
        }
        continuation.resume(returning: hash.finish())
      }
    }
  }
}

extension StagedFile.Kind {
  /// Whether the file may be a link to another: not where agents can write.
  var followsLink: Bool { self != .prefix }
}

/// Reads a regular file piece by piece.
final class FileReader {
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  /// - Returns: `nil`, with `errno`, when it cannot be opened.
  init?(_ path: String, followsLink: Bool = true) {
    // A pipe that waits for its writer would otherwise be waited for.
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLink ? 0 : O_NOFOLLOW)
    descriptor = open(path, flags)
    if descriptor < 0 { return nil }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      errno = EINVAL
      return nil
    }
  }

  deinit { if descriptor >= 0 { systemClose(descriptor) } }

  /// Returns the next bytes; `nil` at the end, or when no more can be read.
  func read(upTo count: Int) -> [UInt8]? {
    if buffer.count != count { buffer = [UInt8](repeating: 0, count: count) }
    let count = systemRead(descriptor, into: &buffer)
    return count > 0 ? Array(buffer[..<count]) : nil
  }
}
