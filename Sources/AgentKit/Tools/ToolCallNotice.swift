/// What a model reads in the place of what a tool returns: why the tool was not run, or why its
/// answer is not all that was asked for.
///
/// It is structured, so that a status can be relied on, and a model need not guess from prose.
struct ToolCallNotice {
  enum Status: String {
    /// The agent's own code refused the call.
    case rejected
    /// A person refused the call, or nobody could be asked.
    case denied
    /// A cap left nothing for the call.
    case capReached = "cap_reached"
    /// The same call has returned the same often enough.
    case repeated
    /// There is an answer, but it was given at a cap.
    case incomplete
    /// There is no answer.
    case failed
    /// The process of the tool ended before what the tool returns was kept: it may have run, or not.
    case unknown
  }

  let status: Status
  let tool: String
  var answer: String?
  let reason: String

  var segment: Transcript.Segment {
    var properties: [(String, any ConvertibleToGeneratedContent)] = [
      ("status", status.rawValue), ("tool", tool),
    ]
    if let answer { properties.append(("answer", answer)) }
    properties.append(("reason", reason))
    let content = GeneratedContent(properties: properties, uniquingKeysWith: { $1 })
    return .structure(.init(schemaName: "ToolCallNotice", content: content))
  }
}
