/// What a process is to become that is not one of ours: the program of an MCP server.
///
/// It is an argument of the worker's program, since what the process reads is for the program alone.
package struct ServerProgram: Codable, Sendable, Equatable {
  package var executable: String
  package var arguments: [String]
  package var folder: String
  /// What it may reach; `nil` leaves it all that its user may.
  package var confinement: Confinement?
  /// Whether its home is that of its user, and not its scratch folder.
  package var keepsHome: Bool

  package init(
    executable: String,
    arguments: [String],
    folder: String,
    confinement: Confinement?,
    keepsHome: Bool
  ) {
    self.executable = executable
    self.arguments = arguments
    self.folder = folder
    self.confinement = confinement
    self.keepsHome = keepsHome
  }

  /// The argument that makes the worker's program become another.
  package static let verb = "--serve"
}
