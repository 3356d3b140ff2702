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

  /// What a person has allowed to be read or run, and nothing to be changed in.
  package var readablePaths: [String] {
    permissions.compactMap { permission in
      switch permission {
      case .reading(let path), .running(let path): path
      case .network, .writing: nil
      }
    }
  }

  /// What a person has allowed to be changed.
  package var writablePaths: [String] {
    permissions.compactMap { permission in
      if case .writing(let path) = permission { path } else { nil }
    }
  }
}
