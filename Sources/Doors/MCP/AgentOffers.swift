import Coordination
import Coordinator
import MCP
import Transcripts

extension AgentSummary {
  var tool: OfferedTool {
    OfferedTool(
      name: toolName,
      title: "Ask \(name)",
      description: "Asks the agent '\(name)', which runs on this machine: \(description)",
      input: AgentQuestion.schema,
      output: TurnResult.schema,
      hints: OfferedTool.Hints(
        // A turn leaves a session behind, and its answer depends on that.
        isReadOnly: false,
        isDestructive: permissions.contains { $0.changesThings },
        isIdempotent: false,
        isOpenWorld: permissions.contains(.network)
      )
    )
  }

  /// The name of the tool, in the characters and the length that clients and models' APIs take.
  var toolName: String { ToolName.accepted("ask_" + name) }

  /// The prompt with which a person has the agent asked.
  var prompt: OfferedPrompt {
    OfferedPrompt(
      name: name,
      title: "Ask \(name)",
      description: description,
      arguments: [
        .init(name: Self.taskArgument, description: "What to ask the agent.", isRequired: true)
      ]
    )
  }

  static let taskArgument = "task"

  func promptText(task: String) -> String {
    "Ask the agent '\(name)' (\(description)) with the tool '\(toolName)', and report its answer."
      + " Pass it this task, unchanged:\n\n\(task)"
  }
}

extension Permission {
  fileprivate var changesThings: Bool {
    switch self {
    case .writing, .running: true
    case .network, .reading: false
    }
  }
}
