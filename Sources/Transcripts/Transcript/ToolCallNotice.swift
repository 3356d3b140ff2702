/// A notice that a model reads in place of a tool's output.
///
/// It says why the tool was not run, or why its answer is incomplete. It is structured, so that the
/// model can rely on a status instead of interpreting prose.
package struct ToolCallNotice {
  package enum Status: String {
    /// The agent's own code refused the call.
    case rejected
    /// A person refused the call, or no one could be asked.
    case denied
    /// A cap left nothing for the call.
    case capReached = "cap_reached"
    /// The same call has returned the same result too often.
    case repeated
    /// There is an answer, but a cap cut it short.
    case incomplete
    /// There is no answer.
    case failed
    /// The tool's process ended before its output was stored, so the tool may or may not have run.
    case unknown
    /// The client was to perform the call, and did not.
    case unanswered
  }

  let status: Status
  let tool: String
  package var answer: String?
  let reason: String

  package init(status: Status, tool: String, answer: String? = nil, reason: String) {
    self.status = status
    self.tool = tool
    self.answer = answer
    self.reason = reason
  }

  package var segment: Transcript.Segment {
    var properties: [(String, any ConvertibleToGeneratedContent)] = [
      ("status", status.rawValue), ("tool", tool),
    ]
    if let answer { properties.append(("answer", answer)) }
    properties.append(("reason", reason))
    let content = GeneratedContent(properties: properties, uniquingKeysWith: { $1 })
    return .structure(.init(schemaName: "ToolCallNotice", content: content))
  }
}
