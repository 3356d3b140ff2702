import CSystemCalls
import PlatformLibraries
import Supervision

/// Where an outpost keeps what it is sent and what its workers write.
///
/// It is removed at the end, or by the next outpost of the same user when this one was killed. Only
/// models stay, which were long on their way.
struct OutpostFolder: Sendable {
  /// The folder of this life.
  let path: String
  private let root: String
  private let name: String

  var scratch: String { path + "/scratch" }
  var plugins: String { path + "/plugins" }
  var prefixes: String { path + "/prefixes" }
  var logs: String { path + "/logs" }
  var processes: String { path + "/processes" }
  var files: String { path + "/files" }
  var models: String { root + "/models" }
  /// Models under their names, each in a folder of its own.
  var modelSets: String { path + "/models" }

  /// - Throws: `LaunchError` where there is no place for it.
  init(environment: [String: String] = ProcessInfo.processInfo.environment) throws(LaunchError) {
    let base =
      ["SLURM_TMPDIR", "TMPDIR"].compactMap { environment[$0] }.first { $0.hasPrefix("/") }
      ?? "/tmp"
    root = "\(base)/orchestrator-outposts-\(getuid())"
    try Self.make(root)
    Self.sweep(root)
    name = "\(getpid())-\(UInt32.random(in: 0 ... .max))"
    // Held by this process for as long as it lives; the descriptor is never closed.
    guard csystem_lock("\(root)/\(name).lock") >= 0 else {
      throw .system(call: "locking \(root)/\(name).lock", code: errno)
    }
    path = "\(root)/\(name)"
    for folder in [path, scratch, plugins, prefixes, logs, processes, files, models, modelSets] {
      try Self.make(folder)
    }
    let program = OwnExecutable.path
    // It was sent over, to the process that this one was before.
    if program.hasPrefix(root + "/") { rename(program, path + "/program") }
  }

  /// Makes a folder that only its user can enter, and refuses one that is another's or a link.
  private static func make(_ folder: String) throws(LaunchError) {
    if mkdir(folder, 0o700) != 0, errno != EEXIST {
      throw .system(call: "making \(folder)", code: errno)
    }
    var facts = stat()
    guard lstat(folder, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR,
      facts.st_uid == getuid(), facts.st_mode & 0o077 == 0
    else { throw .system(call: "using \(folder), which others can enter,", code: EPERM) }
  }

  /// Removes what outposts have left that were killed, and ends what outlived them.
  private static func sweep(_ root: String) {
    for file in (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    where file.hasSuffix(".lock") {
      let lock = csystem_lock("\(root)/\(file)")
      guard lock >= 0 else { continue }
      let folder = "\(root)/\(file.dropLast(".lock".count))"
      PIDFiles(folder: folder + "/processes").killSurvivors()
      csystem_remove(folder)
      unlink("\(root)/\(file)")
      close(lock)
    }
  }

  func remove() {
    csystem_remove(path)
    unlink("\(root)/\(name).lock")
  }
}
