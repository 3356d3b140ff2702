import Foundation

/// The folder of agents that a command is about.
enum AgentFolder {
  /// The one that is named by an option, or lies here; where neither is, that of the agents that
  /// ship.
  static func path(
    named name: String?,
    here: String = "Agents",
    shipped: String = Executable.shippedAgents
  ) -> String {
    if let name { return URL(filePath: name).path }
    let own = URL(filePath: here).path
    let manager = FileManager.default
    return !manager.fileExists(atPath: own) && manager.fileExists(atPath: shipped) ? shipped : own
  }
}
