import Coordination
import Coordinator
import MCP
import Transcripts

/// How a turn ended, as the result of a tool.
struct TurnResult {
  let session: String
  let summary: TurnSummary

  var toolResult: ToolResult {
    var texts = summary.hasAnswer ? [summary.answer ?? ""] : []
    if let problem { texts.append(problem) }
    return ToolResult(texts: texts, structured: structured, isError: problem != nil)
  }

  /// Why the answer is missing or incomplete; `nil` if it is neither.
  private var problem: String? {
    switch summary.exit {
    case .answered, .modeChanged, .finalAnswer:
      summary.hasAnswer ? nil : "The answer of the agent '\(summary.holder)' is empty."
    case .cap, .cancelled, .contextSizeExceeded, .refused, .failed:
      "The turn in session '\(session)' ended without a complete answer: \(summary.exit)."
    }
  }

  private var structured: GeneratedContent {
    .members([
      ("answer", (summary.answer ?? "").json),
      ("session", session.json),
      ("agent", summary.holder.json),
      ("exit", summary.exit.name.rawValue.json),
      ("reason", summary.exit.reason?.json),
      (
        "tokens",
        .members([
          ("input", summary.usage.tokensIn.json), ("cached", summary.usage.tokensCached.json),
          ("output", summary.usage.tokensOut.json),
        ])
      ),
      ("seconds", JSONNumber(summary.seconds).map { GeneratedContent(number: $0) } ?? 0.json),
    ])
  }

  static var schema: GeneratedContent {
    let (text, whole) = (type("string"), type("integer"))
    return .members([
      ("type", "object".json),
      (
        "properties",
        .members([
          ("answer", text),
          ("session", described("string", "Pass it as 'session' to go on.")),
          ("agent", described("string", "The agent that holds the baton now.")),
          ("exit", described("string", "Why the turn ended.")),
          ("reason", text),
          (
            "tokens",
            .members([
              ("type", "object".json),
              (
                "properties",
                .members([("input", whole), ("cached", whole), ("output", whole)])
              ),
              ("required", .list(["input".json, "cached".json, "output".json])),
            ])
          ),
          ("seconds", type("number")),
        ])
      ),
      (
        "required",
        .list(["answer", "session", "agent", "exit", "tokens", "seconds"].map(\.json))
      ),
    ])
  }

  private static func type(_ name: String) -> GeneratedContent {
    .members([("type", name.json)])
  }

  private static func described(_ type: String, _ words: String) -> GeneratedContent {
    .members([("type", type.json), ("description", words.json)])
  }
}

extension ToolResult {
  /// Makes the result of a call that failed, for the model to read.
  init(failure: String) {
    self.init(texts: [failure], isError: true)
  }
}
