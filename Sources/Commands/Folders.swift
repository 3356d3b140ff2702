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
    // XDG has relative paths ignored.
    func folder(_ name: String) -> String? {
      value(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    // Workers have another working directory.
    if let home = value("ORCHESTRATOR_HOME").map({ URL(filePath: $0).standardizedFileURL.path }) {
      (state, runtime, cache) = (home + "/state", home + "/run", home + "/cache")
    } else {
      guard let home = value("HOME") else { throw .noHome }
      state = (folder("XDG_STATE_HOME") ?? home + "/.local/state") + "/orchestrator"
      cache = (folder("XDG_CACHE_HOME") ?? home + "/.cache") + "/orchestrator"
      runtime =
        folder("XDG_RUNTIME_DIR").map { $0 + "/orchestrator" } ?? "/tmp/orchestrator-\(getuid())"
    }
    guard socket.utf8.count < 104 else { throw .socketPathTooLong(socket) }
  }

  var journal: String { state + "/journal.sqlite" }
  var logs: String { state + "/logs" }
  var scratch: String { state + "/scratch" }
  /// A file for each worker that lives.
  var processes: String { state + "/processes" }
  var lock: String { state + "/coordinator.lock" }
  var plugins: String { cache + "/plugins" }
  /// A folder for each agent: what one agent's code can write, no other reads.
  var snapshots: String { cache + "/prefixes" }
  var socket: String { runtime + "/coordinator.sock" }
  var token: String { runtime + "/token" }

  func snapshots(of agent: String) -> String { "\(snapshots)/\(agent)" }

  /// Makes the folders, which belong to the user alone.
  func make() throws(CommandError) {
    try makeState()
    try makeRuntime()
  }

  func makeState() throws(CommandError) {
    for folder in [state, cache, logs, plugins, snapshots] {
      try Self.make(folder)
      try Self.close(folder, following: true)
    }
  }

  /// Where the socket is somebody else could make a folder first, or a link to one.
  func makeRuntime() throws(CommandError) {
    try Self.make(runtime)
    try Self.close(runtime, following: false)
  }

  /// Whether a folder is there in which a socket may lie.
  ///
  /// Whoever made it answers there: what is said to a folder of somebody else's is said to them.
  static func holdsSockets(_ folder: String) throws(CommandError) -> Bool {
    var facts = stat()
    guard lstat(folder, &facts) == 0 else { return false }
    guard facts.st_mode & S_IFMT == S_IFDIR, facts.st_uid == getuid() else {
      throw .foreign(folder)
    }
    return true
  }

  private static func make(_ folder: String) throws(CommandError) {
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

  /// Sees to it that a folder is the user's, and that nobody else can enter it.
  private static func close(_ folder: String, following: Bool) throws(CommandError) {
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
