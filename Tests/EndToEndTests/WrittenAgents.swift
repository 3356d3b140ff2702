import Foundation

extension Product {
  /// Writes an agent that is declared for one test; returns the folder of such agents.
  /// - Parameter type: The name of its type, and so of its file.
  @discardableResult
  func write(_ source: String, as type: String) throws -> String {
    let agents = home + "/Agents"
    try FileManager.default.createDirectory(atPath: agents, withIntermediateDirectories: true)
    try source.write(toFile: "\(agents)/\(type).swift", atomically: true, encoding: .utf8)
    return agents
  }

  /// Writes one that says "ok" to everything.
  func writeBrief() throws -> String {
    try write(
      """
      import AgentKit

      struct Brief: Agent {
        let name = "brief"
        let description = "is brief"

        var body: some DynamicProfile {
          Profile { Instructions("You are brief.") }
            .model(ScriptedLanguageModel(deciding: { _ in .text("ok") }))
        }
      }
      """,
      as: "Brief"
    )
  }
}
