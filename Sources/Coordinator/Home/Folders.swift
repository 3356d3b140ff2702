import Foundation

/// Where files are kept, following the XDG conventions.
package struct Folders: Sendable {
  /// The journal and the logs.
  package let state: String
  /// The socket, present only while a coordinator runs.
  package let runtime: String
  /// What can be regenerated: compiled agents and computed prefixes.
  package let cache: String
  /// The variable that moves the socket; with `ORCHESTRATOR_HOME`, XDG's has no effect.
  package let placeOfSockets: String

  /// Finds the folders; `ORCHESTRATOR_HOME` puts all of them into one, for tests and experiments.
  package init(environment: [String: String]) throws(CoordinatorError) {
    func value(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    // XDG requires relative paths to be ignored.
    func folder(_ name: String) -> String? {
      value(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    // Workers have a different working directory.
    if let home = value("ORCHESTRATOR_HOME").map({ URL(filePath: $0).standardizedFileURL.path }) {
      (state, runtime, cache) = (home + "/state", home + "/run", home + "/cache")
      placeOfSockets = "ORCHESTRATOR_HOME"
    } else {
      guard let home = value("HOME") else { throw .noHome }
      state = (folder("XDG_STATE_HOME") ?? home + "/.local/state") + "/orchestrator"
      cache = (folder("XDG_CACHE_HOME") ?? home + "/.cache") + "/orchestrator"
      runtime =
        folder("XDG_RUNTIME_DIR").map { $0 + "/orchestrator" } ?? "/tmp/orchestrator-\(getuid())"
      placeOfSockets = "XDG_RUNTIME_DIR"
    }
    guard socket.utf8.count < 104 else { throw .socketPathTooLong(socket) }
  }

  package var journal: String { state + "/journal.sqlite" }
  /// The name of the coordinator's own log.
  package static let coordinatorLog = "coordinator"

  /// The name of the log of a host's launcher and outpost.
  package static func outpostLog(_ host: String) -> String { "\(outpostPrefix)\(host)" }
  static let outpostPrefix = "outpost-"

  package var logs: String { state + "/logs" }
  /// One folder for each session, with outputs of tools that were too long for a prompt.
  package var outputs: String { state + "/outputs" }
  /// What a person has approved of MCP servers.
  package var serverApprovals: String { state + "/mcp-approvals.json" }
  /// The files of hosts that a person has approved.
  package var hostApprovals: String { state + "/host-approvals.json" }
  package var scratch: String { state + "/scratch" }
  /// One file for each living worker.
  package var processes: String { state + "/processes" }
  package var lock: String { state + "/coordinator.lock" }
  package var plugins: String { cache + "/plugins" }
  /// One folder for each agent, so that no agent reads what another's code can write, not even that
  /// of a namesake.
  package var snapshots: String { cache + "/prefixes" }
  package var socket: String { runtime + "/coordinator.sock" }
  package var token: String { runtime + "/token" }

  /// Returns the folder for an agent's prefixes.
  /// - Parameter key: The agent's name and what tells it from namesakes.
  package func snapshots(of key: String) -> String { "\(snapshots)/\(key)" }

  /// Returns the log of a worker.
  ///
  /// Whatever the name is, this leads into no other folder: a journaled one may be imported.
  package func log(of run: String) -> String {
    let name = run.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
    return "\(logs)/\(String(decoding: name, as: UTF8.self)).log"
  }

  /// Creates the folders, accessible to the user alone.
  package func make() throws(CoordinatorError) {
    try makeState()
    try makeRuntime()
  }

  package func makeState() throws(CoordinatorError) {
    for folder in [state, cache, logs, plugins, snapshots] {
      try Self.make(folder)
      try Self.close(folder, following: true)
    }
  }

  /// Creates the folder of the socket, where another user could have made one first, or a link.
  package func makeRuntime() throws(CoordinatorError) {
    try Self.make(runtime)
    try Self.close(runtime, following: false)
  }

  /// Whether a folder exists that can hold sockets.
  ///
  /// Its owner answers there, so it must not be another user's.
  package static func holdsSockets(_ folder: String) throws(CoordinatorError) -> Bool {
    var facts = stat()
    guard lstat(folder, &facts) == 0 else { return false }
    guard facts.st_mode & S_IFMT == S_IFDIR, facts.st_uid == getuid() else {
      throw .foreign(folder)
    }
    return true
  }

  private static func make(_ folder: String) throws(CoordinatorError) {
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

  /// Ensures that a folder belongs to the user and that no other user can enter it.
  private static func close(_ folder: String, following: Bool) throws(CoordinatorError) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (following ? 0 : O_NOFOLLOW))
    guard descriptor >= 0 else {
      let isLink = errno == ELOOP || errno == ENOTDIR
      throw isLink
        ? .foreign(folder) : .unwritable(folder, reason: String(cString: strerror(errno)))
    }
    defer { Foundation.close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_uid == getuid() else { throw .foreign(folder) }
    if facts.st_mode & 0o077 != 0 { fchmod(descriptor, 0o700) }
  }
}

extension Folders {
  /// The socket of the coordinator that writes here; its XDG_RUNTIME_DIR may have been another.
  package var servedSocket: String { StateLock.holder(of: self)?.socket ?? socket }

  /// The canonical path of the state folder, however it is spelled.
  package var resolvedState: String { URL(filePath: state).resolvingSymlinksInPath().path }
}
