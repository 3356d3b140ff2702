import AgentKit

extension Confinement {
  /// Whether a person has allowed the network.
  package var allowsNetwork: Bool { permissions.contains(.network) }

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
