import PlatformLibraries
import Supervision
import Synchronization
import Wire

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
    /// It is there, or would be of no use.
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
    if path(of: file.hash) != nil || !isOfUse(file) { return .kept }
    return receiving.withLock { receiving in
      // An earlier offer was not kept to the end.
      if let earlier = receiving.removeValue(forKey: file.hash) {
        close(earlier.descriptor)
        unlink(part(of: file))
      }
      guard hasRoom(for: file) else { return .failed(String(cString: strerror(ENOSPC))) }
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

  /// Returns whether what a file belongs to is here as it is where the file comes from.
  private func isOfUse(_ file: StagedFile) -> Bool {
    (file.basis ?? []).allSatisfy { FileStamp(path(of: $0.place) ?? $0.place) == $0.stamp }
  }

  /// Looked at first, so that a file that cannot be kept is not sent for minutes.
  private func hasRoom(for file: StagedFile) -> Bool {
    var disk = statvfs()
    guard statvfs(folder.path, &disk) == 0 else { return true }
    return file.bytes / Int(max(disk.f_frsize, 1)) < Int(disk.f_bavail)
  }

  /// Handles a piece of a file that was offered; what was under way of one that failed is passed
  /// over.
  func take(_ bytes: [UInt8], of hash: String) -> Outcome {
    receiving.withLock { receiving in
      guard var next = receiving[hash] else { return .goesOn }
      receiving[hash] = nil
      let outcome = append(bytes, to: &next)
      if outcome == .goesOn { receiving[hash] = next } else { close(next.descriptor) }
      return outcome
    }
  }

  /// Moves a file that was sent to the path where it is wanted.
  func move(_ hash: String, to path: String) {
    if SafeName.isSafe(hash) { rename("\(folder.files)/\(hash)", path) }
  }

  /// Gives a model's files that were sent the names by which it is known, in a folder of its own.
  ///
  /// - Returns: The folder.
  /// - Throws: `LaunchError`.
  func link(_ model: [StagedName]) throws(LaunchError) -> String {
    var hash = SHA256()
    for file in model { hash.append("\(file.hash)/\(file.name)/".utf8) }
    let set = "\(folder.modelSets)/\(hash.finish())"
    mkdir(set, 0o700)
    for file in model {
      guard SafeName.isSafe(file.name) else { throw .unsafeName(file.name) }
      guard SafeName.isSafe(file.hash), let path = path(of: file.hash) else {
        throw .system(call: "finding \(file.name)", code: ENOENT)
      }
      // Under the same names, the same files.
      guard systemLink(path, "\(set)/\(file.name)") == 0 || errno == EEXIST else {
        throw .system(call: "linking \(file.name)", code: errno)
      }
    }
    return set
  }

  private func append(_ bytes: [UInt8], to receiving: inout Receiving) -> Outcome {
    let file = receiving.file
    let part = part(of: file)
    guard writeAll(bytes, to: receiving.descriptor) else {
      let problem = String(cString: strerror(errno))
      unlink(part)
      return .failed(problem)
    }
    receiving.hash.append(bytes)
    receiving.bytes += bytes.count
    guard receiving.bytes >= file.bytes else { return .goesOn }
    guard receiving.bytes == file.bytes, receiving.hash.finish() == file.hash else {
      unlink(part)
      return .failed("what arrived is not what was announced")
    }
    // Where that fails, prefixes of it are computed and not sent.
    if file.kind == .model { file.stamp.apply(to: receiving.descriptor) }
    guard rename(part, path(of: file)) == 0 else {
      return .failed(String(cString: strerror(errno)))
    }
    return .kept
  }
}

/// The call, whose name is that of a method here.
private func systemLink(_ path: String, _ name: String) -> Int32 { link(path, name) }
