import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The files that an outpost was sent, each under the hash of its content.
final class StagedFiles: Sendable {
  private struct Receiving {
    let file: StagedFile
    let descriptor: Int32
    var hash = SHA256()
    var bytes = 0
  }

  /// What became of a piece, or of an offer.
  enum Outcome: Equatable, Sendable {
    case wanted
    case kept
    case goesOn
    case failed(String)
  }

  private let folder: OutpostFolder
  private let receiving = Mutex<[String: Receiving]>([:])

  init(_ folder: OutpostFolder) {
    self.folder = folder
  }

  private func path(of file: StagedFile) -> String {
    "\(file.kind == .model ? folder.models : folder.files)/\(file.hash)"
  }

  /// Returns where a file is received: in the folder of this life, because other outposts of the
  /// user may be sent the same model.
  private func part(of file: StagedFile) -> String { "\(folder.files)/\(file.hash).part" }

  /// Returns where a file is; `nil` where it is not there.
  func path(of hash: String) -> String? {
    [folder.files, folder.models].map { "\($0)/\(hash)" }.first { access($0, R_OK) == 0 }
  }

  /// Handles the offer of a file.
  func offer(_ file: StagedFile) -> Outcome {
    if path(of: file.hash) != nil { return .kept }
    return receiving.withLock { receiving in
      guard receiving[file.hash] == nil else { return .goesOn }
      let mode: mode_t = file.kind == .worker ? 0o700 : 0o600
      let descriptor = open(
        part(of: file),
        O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
        mode
      )
      guard descriptor >= 0 else { return .failed(String(cString: strerror(errno))) }
      receiving[file.hash] = Receiving(file: file, descriptor: descriptor)
      return .wanted
    }
  }

  /// Handles a piece of a file that was offered.
  func take(_ bytes: [UInt8], of hash: String) -> Outcome {
    receiving.withLock { receiving in
      guard var next = receiving[hash] else { return .failed("an earlier part was not kept") }
      receiving[hash] = nil
      let outcome = append(bytes, to: &next)
      if outcome == .goesOn { receiving[hash] = next } else { close(next.descriptor) }
      return outcome
    }
  }

  private func append(_ bytes: [UInt8], to receiving: inout Receiving) -> Outcome {
    let file = receiving.file
    let part = part(of: file)
    var written = 0
    while written < bytes.count {
      let rest = written == 0 ? bytes : Array(bytes[written...])
      let count = write(receiving.descriptor, rest, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let problem = String(cString: strerror(errno))
        unlink(part)
        return .failed(problem)
      }
      written += count
    }
    receiving.hash.append(bytes)
    receiving.bytes += bytes.count
    guard receiving.bytes >= file.bytes else { return .goesOn }
    guard receiving.bytes == file.bytes, receiving.hash.finish() == file.hash else {
      unlink(part)
      return .failed("what arrived is not what was announced")
    }
    guard rename(part, path(of: file)) == 0 else {
      return .failed(String(cString: strerror(errno)))
    }
    return .kept
  }
}
