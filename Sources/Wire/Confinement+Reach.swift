import AgentKit

extension Confinement {
  /// Whether a person has allowed the network.
  package var allowsNetwork: Bool { permissions.contains(.network) }

  /// What the network needs of the files: where names of machines are looked up, and whom to believe
  /// that they are.
  package static let networkFiles = [
    "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf",
    "/etc/services", "/etc/protocols", "/etc/ssl", "/etc/pki", "/usr/share/ca-certificates",
    "/run/systemd/resolve",
  ]

  /// The variables by which libcurl finds a proxy; in an address there may be a password.
  package static let proxyVariables = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"]
    .flatMap { [$0, $0.uppercased()] }

  /// What a person has allowed to be read or run, and nothing to be changed in; of a model all
  /// parts, where the first of them was named.
  package var readablePaths: [String] {
    permissions.flatMap { permission -> [String] in
      switch permission {
      case .reading(let path): ModelParts.of(path)
      case .running(let path): [path]
      case .network, .writing: []
      }
    }
  }

  /// What a person has allowed to be changed.
  package var writablePaths: [String] {
    permissions.compactMap { permission in
      if case .writing(let path) = permission { path } else { nil }
    }
  }

  /// Whether a person has allowed a program.
  package var allowsPrograms: Bool {
    permissions.contains { if case .running = $0 { true } else { false } }
  }

  /// Whether it is one process, and can start no other.
  package var keepsToItself: Bool { mode != .off && !allowsPrograms }

  /// What a version of Landlock leaves open to whoever is confined like this, in words.
  ///
  /// Nothing where it keeps all that it is for; what other versions have brought seccomp keeps too.
  /// - Parameter version: Not 0, which is no Landlock at all.
  package func holes(landlock version: Int32) -> [String] {
    var holes: [String] = []
    if version < 3 {
      holes.append("only Landlock \(version), so agents can empty files that they may read")
    }
    if version < 6, allowsPrograms {
      holes.append(
        "only Landlock \(version), so agents that may run programs can signal other processes"
      )
    }
    return holes
  }
}
