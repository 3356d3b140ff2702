import Foundation

extension Product {
  /// Writes an agent that is declared for one test and returns the folder of such agents.
  /// - Parameter type: The name of the agent's type, and so of its file.
  @discardableResult
  func write(_ source: String, as type: String) throws -> String {
    let agents = home + "/Agents"
    try FileManager.default.createDirectory(atPath: agents, withIntermediateDirectories: true)
    try source.write(toFile: "\(agents)/\(type).swift", atomically: true, encoding: .utf8)
    return agents
  }

  /// Writes an agent that gives the same answer to every prompt.
  /// - Parameter text: The answer as it appears in a Swift string literal.
  @discardableResult
  func writeBrief(as type: String = "Brief", saying text: String = "ok") throws -> String {
    try write(
      """
      import AgentKit

      struct \(type): Agent {
        let name = "\(type.lowercased())"
        let description = "is brief"

        var body: some DynamicProfile {
          Profile { Instructions("You are brief.") }
            .model(ScriptedLanguageModel(deciding: { _ in .text("\(text)") }))
        }
      }
      """,
      as: type
    )
  }
}
