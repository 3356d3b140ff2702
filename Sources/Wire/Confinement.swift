package import Transcripts

/// What a worker may reach; it gives up everything else before it loads anything.
package struct Confinement: Codable, Sendable, Hashable {
  package enum Mode: String, Codable, Sendable, CaseIterable {
    /// The worker may reach whatever its user may.
    case off
    /// The log says what the kernel cannot take away.
    case `default`
    /// A worker does not run if the kernel cannot confine it completely.
    case required
  }

  /// The bytes of the largest file that a worker can write.
  package static let largestFile = 1 << 30

  package var mode: Mode
  /// Its own folder for whatever it writes; a template's forks have theirs inside it.
  package var scratch: String?
  /// The folder from which a template's forks load their plugins.
  package var plugins: String?
  /// The folder in which a template's forks keep prefixes, each agent in its own folder.
  package var snapshots: String?
  /// What a person has allowed beyond that, with absolute paths.
  package var permissions: [Permission]
  /// Where those paths led to when they were allowed, for those that led elsewhere.
  ///
  /// A link that came later is refused. `nil` to follow any link.
  package var places: [String: String]?

  package init(
    mode: Mode = .default,
    scratch: String? = nil,
    plugins: String? = nil,
    snapshots: String? = nil,
    permissions: [Permission] = [],
    places: [String: String]? = nil
  ) {
    self.mode = mode
    self.scratch = scratch
    self.plugins = plugins
    self.snapshots = snapshots
    self.permissions = permissions
    self.places = places
  }
}
