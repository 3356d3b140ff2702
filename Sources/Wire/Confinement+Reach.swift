import Transcripts

extension Confinement {
  /// Whether a person has allowed the network.
  package var allowsNetwork: Bool { permissions.contains(.network) }

  /// The files that the network needs: for name resolution and for certificates.
  ///
  /// Those of certificates are named one by one, because servers keep their private keys beside
  /// them, and root can read these.
  package static let networkFiles = [
    "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf",
    "/etc/services", "/etc/protocols", "/run/systemd/resolve",
    // Debian, Alpine, Arch and openSUSE.
    "/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/openssl.cnf",
    // Where the links among those lead to.
    "/usr/share/ca-certificates", "/etc/ca-certificates/extracted",
    // Fedora and its relatives.
    "/etc/pki/tls/certs", "/etc/pki/tls/cert.pem", "/etc/pki/tls/openssl.cnf",
    "/etc/pki/ca-trust/extracted",
  ]

  /// The variables by which libcurl finds a proxy; an address may contain a password.
  package static let proxyVariables = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"]
    .flatMap { [$0, $0.uppercased()] }

  /// The paths that a person has allowed to be read or run but not changed, with all parts of a
  /// model whose first part was named.
  package var readablePaths: [String] {
    permissions.flatMap { permission -> [String] in
      switch permission {
      case .reading(let path): ModelParts.of(path)
      case .running(let path): [path]
      case .network, .writing: []
      }
    }
  }

  /// The paths that a person has allowed to be changed.
  package var writablePaths: [String] {
    permissions.compactMap { permission in
      if case .writing(let path) = permission { path } else { nil }
    }
  }

  /// Whether a person has allowed a program.
  package var allowsPrograms: Bool {
    permissions.contains { if case .running = $0 { true } else { false } }
  }

  /// Whether the worker is a single process that can start no other.
  package var keepsToItself: Bool { mode != .off && !allowsPrograms }

  /// Describes what a version of Landlock leaves open to a process confined like this.
  ///
  /// Empty where everything is enforced; seccomp covers what the remaining versions added.
  ///
  /// - Parameter version: Not 0, which means no Landlock at all.
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
