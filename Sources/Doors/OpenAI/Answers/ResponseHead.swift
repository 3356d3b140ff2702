import Transcripts

/// What a response repeats of its request, and how it is identified.
struct ResponseHead: Sendable {
  enum Status: String, Sendable {
    case inProgress = "in_progress"
    case completed, incomplete, failed, cancelled
  }

  var turn: Int64 = 0
  var session: String
  var model: String
  var created: Int
  var isStored = true
  var isInBackground = false
  var metadata = JSON(properties: [:])
  /// The parameters as they were sent.
  var echoes: [String: JSON] = [:]

  func object(
    _ status: Status,
    output: [JSON],
    end: AnswerEnd?,
    completed: Int? = nil
  ) -> JSON {
    var error = JSON.null
    var incomplete = JSON.null
    switch end?.reason {
    case .failed(let problem):
      error = JSON(properties: ["code": problem.code, "message": problem.message])
    case .length: incomplete = JSON(properties: ["reason": "max_output_tokens"])
    case .answered, .waiting, .refused, .cancelled, nil: break
    }
    return JSON([
      ("id", "\(ResponseID(turn: turn))"), ("object", "response"), ("created_at", created),
      ("completed_at", completed.map { JSON($0) } ?? .null), ("status", status.rawValue),
      ("background", isInBackground), ("error", error), ("incomplete_details", incomplete),
      ("instructions", echo("instructions")), ("max_output_tokens", echo("max_output_tokens")),
      ("model", model), ("output", JSON(kind: .array(output))), ("parallel_tool_calls", true),
      ("previous_response_id", echo("previous_response_id")),
      ("conversation", JSON(properties: ["id": ConversationID.text(of: session)])),
      ("store", isStored), ("temperature", echo("temperature")),
      ("text", echoes["text"] ?? Self.plainText), ("tool_choice", "auto"),
      ("tools", JSON(kind: .array([]))), ("top_p", echo("top_p")),
      ("truncation", echoes["truncation"] ?? JSON("disabled")),
      ("usage", end.map(\.usage.ofResponse) ?? .null), ("metadata", metadata(of: end)),
    ])
  }

  /// What the client sent, and the agent that holds the baton now.
  private func metadata(of end: AnswerEnd?) -> JSON {
    guard let holder = end?.holder, !holder.isEmpty,
      case .structure(let properties, let keys) = metadata.kind, properties["holder"] == nil
    else { return metadata }
    return JSON(keys.map { ($0, properties[$0] ?? .null) } + [("holder", holder)])
  }

  private func echo(_ name: String) -> JSON { echoes[name] ?? .null }

  private static let plainText = JSON(properties: ["format": JSON(properties: ["type": "text"])])
}
