import Foundation

/// The agents folder that a command works on.
package enum AgentFolder {
  /// Returns the folder given by an option, or else the one here, or else the one that ships.
  package static func path(
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
