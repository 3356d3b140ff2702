import Foundation

/// Where things are kept, by the conventions of XDG.
struct Folders: Sendable {
  /// The journal and the logs.
  let state: String
  /// The socket; only while a coordinator runs.
  let runtime: String
  /// What can be made again: compiled agents, computed prefixes.
  let cache: String

  /// `ORCHESTRATOR_HOME` puts everything into one folder, for tests and for trying things out.
  init(environment: [String: String]) throws(CommandError) {
    func value(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    if let home = value("ORCHESTRATOR_HOME") {
      (state, runtime, cache) = (home + "/state", home + "/run", home + "/cache")
    } else {
      guard let home = value("HOME") else { throw .noHome }
      state = (value("XDG_STATE_HOME") ?? home + "/.local/state") + "/orchestrator"
      cache = (value("XDG_CACHE_HOME") ?? home + "/.cache") + "/orchestrator"
      runtime =
        value("XDG_RUNTIME_DIR").map { $0 + "/orchestrator" } ?? "/tmp/orchestrator-\(getuid())"
    }
    guard socket.utf8.count < 104 else { throw .socketPathTooLong(socket) }
  }

  var journal: String { state + "/journal.sqlite" }
  var logs: String { state + "/logs" }
  var scratch: String { state + "/scratch" }
  var lock: String { state + "/coordinator.lock" }
  var plugins: String { cache + "/plugins" }
  /// A folder for each agent: what one agent's code can write, no other reads.
  var snapshots: String { cache + "/prefixes" }
  var socket: String { runtime + "/coordinator.sock" }
  var token: String { runtime + "/token" }

  func snapshots(of agent: String) -> String { "\(snapshots)/\(agent)" }

  /// Makes the folders, which belong to the user alone.
  func make() throws(CommandError) {
    for folder in [state, runtime, cache, logs, plugins, snapshots] {
      do {
        try FileManager.default.createDirectory(
          atPath: folder,
          withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700]
        )
      } catch {
        throw .unwritable(folder, reason: String(cString: strerror(errno)))
      }
    }
    var status = stat()
    guard stat(runtime, &status) == 0, status.st_uid == getuid() else {
      throw .foreign(runtime)
    }
    chmod(runtime, 0o700)
  }
}
