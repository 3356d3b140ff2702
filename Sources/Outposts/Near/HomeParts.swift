package import Wire

/// What outposts are given from here, and where what they say is kept.
package struct HomeParts: Sendable {
  /// The worker's program here, and the identity of its build.
  package var executable: String
  package var fingerprint: String
  /// The confinement of templates: the mode, and all that any agent may reach.
  ///
  /// The outpost's own folders take the place of those in it.
  package var confinement: Confinement?
  /// Where the log of a run is kept.
  package var log: @Sendable (RunID) -> String
  /// The hashes of what is sent, shared by all hosts.
  let hashes = FileHashes()
  /// The variables of a launcher; those that it has no need of are left out.
  package var environment: [String: String]

  package init(
    executable: String,
    fingerprint: String,
    confinement: Confinement?,
    environment: [String: String],
    log: @escaping @Sendable (RunID) -> String
  ) {
    (self.executable, self.fingerprint) = (executable, fingerprint)
    (self.confinement, self.environment, self.log) = (confinement, environment, log)
  }
}
