package import AgentKit

/// What a worker may reach; everything else it takes away from itself before it loads anything.
package struct Confinement: Codable, Sendable, Hashable {
  package enum Mode: String, Codable, Sendable, CaseIterable {
    /// It may reach whatever its user may.
    case off
    /// What the kernel cannot take away is said in the log.
    case `default`
    /// A worker from which the kernel cannot take it all does not run.
    case required
  }

  /// Bytes of the largest file that a worker can write.
  package static let largestFile = 1 << 30

  package var mode: Mode
  /// The only folder that it may write in; a template's forks have theirs below it.
  package var scratch: String?
  /// The folder from which a template's forks load their plugins.
  package var plugins: String?
  /// The folder in which a template's forks keep prefixes, each agent in a folder of its own.
  package var snapshots: String?
  /// What a person has allowed beyond that, with absolute paths.
  package var permissions: [Permission]

  package init(
    mode: Mode = .default,
    scratch: String? = nil,
    plugins: String? = nil,
    snapshots: String? = nil,
    permissions: [Permission] = []
  ) {
    self.mode = mode
    self.scratch = scratch
    self.plugins = plugins
    self.snapshots = snapshots
    self.permissions = permissions
  }
}
