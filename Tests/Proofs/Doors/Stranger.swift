import Foundation

/// Another user of this machine, who tries to reach everything that a coordinator keeps.
struct Stranger {
  /// An account that owns nothing on any system.
  static let user: uid_t = 65534

  /// The folder of the coordinator.
  let home: String

  /// Returns the attempts, each with whether it succeeded.
  func attempts() -> [(name: String, succeeds: Bool)] {
    let (run, state) = (home + "/run", home + "/state")
    return [
      ("list the runtime folder", lists(run)),
      ("read the token", opens(run + "/token", O_RDONLY)),
      ("connect to the socket", connects(run + "/coordinator.sock")),
      ("remove the socket", accesses(run, W_OK)),
      ("list the state folder", lists(state)),
      ("read the journal", opens(state + "/journal.sqlite", O_RDONLY)),
      ("write the journal", opens(state + "/journal.sqlite", O_RDWR)),
      ("take the lock", opens(state + "/coordinator.lock", O_RDWR)),
      ("list the logs", lists(state + "/logs")),
      ("leave a process to be swept up", accesses(state + "/processes", W_OK)),
      ("leave a plugin", accesses(home + "/cache/plugins", W_OK)),
      ("leave a prefix", accesses(home + "/cache/prefixes", W_OK)),
    ]
  }

  private func opens(_ path: String, _ flags: Int32) -> Bool {
    let file = open(path, flags)
    defer { close(file) }
    return file >= 0
  }

  private func lists(_ path: String) -> Bool {
    guard let folder = opendir(path) else { return false }
    closedir(folder)
    return true
  }

  private func accesses(_ path: String, _ mode: Int32) -> Bool { access(path, mode) == 0 }

  private func connects(_ path: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    return withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }
}
