extension Attempt {
  /// Attempts to reach what the coordinator keeps.
  static let product: [Attempt] = [
    Attempt(
      "read the journal",
      isOfProduct: true,
      #"""
      { succeeds(open($0.home + "/state/journal.sqlite", O_RDONLY)) }
      """#
    ),
    Attempt(
      "write the journal",
      isOfProduct: true,
      #"""
      { succeeds(open($0.home + "/state/journal.sqlite", O_RDWR)) }
      """#
    ),
    Attempt(
      "write into another file of the journal",
      isOfProduct: true,
      #"""
      { succeeds(open($0.home + "/state/journal.sqlite-wal", O_RDWR)) }
      """#
    ),
    Attempt(
      "list the logs",
      isOfProduct: true,
      #"""
      { targets in
        guard let folder = opendir(targets.home + "/state/logs") else { return false }
        closedir(folder)
        return true
      }
      """#
    ),
    Attempt(
      "take the coordinator's lock",
      isOfProduct: true,
      #"""
      { succeeds(open($0.home + "/state/coordinator.lock", O_RDWR)) }
      """#
    ),
    Attempt(
      "have a process swept up",
      isOfProduct: true,
      #"""
      { succeeds(open($0.home + "/state/processes/escape", O_WRONLY | O_CREAT, 0o600)) }
      """#
    ),
    Attempt(
      "read the token of the door",
      isOfProduct: true,
      #"""
      { contents($0.home + "/run/token") != nil }
      """#
    ),
    Attempt(
      "enter by the coordinator's socket",
      isOfProduct: true,
      #"""
      { connects(AF_UNIX, SOCK_STREAM.rawValue, unix($0.home + "/run/coordinator.sock")) }
      """#
    ),
    Attempt(
      "take the coordinator's socket away",
      isOfProduct: true,
      #"""
      { targets in
        let socket = targets.home + "/run/coordinator.sock"
        return rename(socket, socket + ".gone") == 0 && rename(socket + ".gone", socket) == 0
      }
      """#
    ),
    Attempt(
      "put a plugin into the cache",
      isOfProduct: true,
      #"""
      { cachesPlugin($0) { rename($0, $1) } }
      """#
    ),
    Attempt(
      "link a plugin into the cache",
      isOfProduct: true,
      #"""
      { cachesPlugin($0) { link($0, $1) } }
      """#
    ),
    Attempt(
      "write into another's prefixes",
      isOfProduct: true,
      #"""
      { targets in
        let place = targets.home + "/cache/prefixes/bystander/escape"
        let file = open(place, O_WRONLY | O_CREAT, 0o600)
        return file >= 0 && unlink(place) == 0
      }
      """#
    ),
  ]
}
