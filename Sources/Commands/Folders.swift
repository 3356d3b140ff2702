import Foundation

/// Where files are kept, following the XDG conventions.
struct Folders: Sendable {
  /// The journal and the logs.
  let state: String
  /// The socket, present only while a coordinator runs.
  let runtime: String
  /// What can be regenerated: compiled agents and computed prefixes.
  let cache: String
  /// The variable that moves the socket; with `ORCHESTRATOR_HOME`, XDG's has no effect.
  let placeOfSockets: String

  /// Finds the folders; `ORCHESTRATOR_HOME` puts all of them into one, for tests and experiments.
  init(environment: [String: String]) throws(CommandError) {
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

  var journal: String { state + "/journal.sqlite" }
  var logs: String { state + "/logs" }
  var scratch: String { state + "/scratch" }
  /// One file for each living worker.
  var processes: String { state + "/processes" }
  var lock: String { state + "/coordinator.lock" }
  var plugins: String { cache + "/plugins" }
  /// One folder for each agent, so that no agent reads what another's code can write, not even that
  /// of a namesake.
  var snapshots: String { cache + "/prefixes" }
  var socket: String { runtime + "/coordinator.sock" }
  var token: String { runtime + "/token" }

  /// Returns the folder for an agent's prefixes.
  /// - Parameter key: The agent's name and what tells it from namesakes.
  func snapshots(of key: String) -> String { "\(snapshots)/\(key)" }

  /// Returns the log of a worker.
  ///
  /// Whatever the name is, because a journaled one may come from somebody's file, this leads into
  /// no other folder.
  func log(of run: String) -> String {
    let name = run.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
    return "\(logs)/\(String(decoding: name, as: UTF8.self)).log"
  }

  /// Creates the folders, accessible to the user alone.
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

  /// Creates the folder of the socket, where somebody else could have made one first, or a link.
  func makeRuntime() throws(CommandError) {
    try Self.make(runtime)
    try Self.close(runtime, following: false)
  }

  /// Whether a folder exists that can hold sockets.
  ///
  /// Its owner answers there, so it must not be somebody else's.
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

  /// Ensures that a folder belongs to the user and that nobody else can enter it.
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
