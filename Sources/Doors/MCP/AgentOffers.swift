import Coordination
import Coordinator
import MCP
import Transcripts

extension AgentSummary {
  /// The tool with which the agent is asked.
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
  ///
  /// A name that has to be changed for that gets a part that tells it from similar ones.
  var toolName: String {
    let plain = Self.prefix + name
    let isPlain = plain.utf8.count <= Self.longestToolName && plain.utf8.allSatisfy(\.isOfToolName)
    guard !isPlain else { return plain }
    let digits = String(FNV1a.hash(name), radix: 36)
    let suffix = "_" + String(digits.suffix(Self.suffixLength))
    let safe = plain.utf8.map { $0.isOfToolName ? $0 : UInt8(ascii: "_") }
    let start = safe.prefix(Self.longestToolName - suffix.utf8.count)
    return String(decoding: start, as: UTF8.self) + suffix
  }

  private static let prefix = "ask_"
  private static let longestToolName = 64
  private static let suffixLength = 6

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

  /// The text of the prompt.
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

extension UInt8 {
  fileprivate var isOfToolName: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

/// A hash that is the same in every process.
private enum FNV1a {
  static func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
