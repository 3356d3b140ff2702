import Coordination
import Coordinator
import Journal
import Transcripts

/// Turns the events of a turn into what a client is told.
struct TurnReader {
  /// The functions that the client performs; their calls are told of when all of them are known.
  let clientTools: Set<String>
  /// Whether what happens is still of an earlier turn, which a new prompt ends first.
  private(set) var awaitsAcceptance: Bool
  private var hasBegun = false
  private(set) var isWaiting = false
  private var answer = SentText()
  private var reasoning = SentText()
  /// Whether there was an event with an answer.
  private var hasAnswer = false

  init(clientTools: Set<String> = [], awaitsAcceptance: Bool = false) {
    (self.clientTools, self.awaitsAcceptance) = (clientTools, awaitsAcceptance)
  }

  mutating func read(_ event: TurnEvent) -> [AnswerPart] {
    if case .accepted = event { awaitsAcceptance = false }
    return awaitsAcceptance ? [] : parts(of: event)
  }

  private mutating func parts(of event: TurnEvent) -> [AnswerPart] {
    switch event {
    case .accepted(let turn, _), .resumed(let turn, _, _), .clientAnswered(let turn, _):
      begun(turn)
    case .toolCall(_, _, let tool, _) where clientTools.contains(tool): []
    case .toolOutput(_, _, let tool, _) where clientTools.contains(tool): []
    case .clientCalls(let calls): clientCalls(calls)
    case .text(_, let change): grown(change)
    case .reasoned(_, let text): Self.parts(reasoning.complete(text)) { .reasoning($0) }
    case .said(_, let text): completed(text, isAnswer: false)
    case .answered(_, let text): completed(text, isAnswer: true)
    case .toolCall(let id, _, let tool, let arguments):
      [.call(id: id, tool: tool, arguments: arguments)]
    case .toolOutput(let id, _, let tool, let text): [.output(id: id, tool: tool, text: text)]
    case .ended(let summary): ended(summary)
    default: Self.parts(Self.note(event) ?? "") { .note($0) }
    }
  }

  private mutating func begun(_ turn: Int64) -> [AnswerPart] {
    defer { hasBegun = true }
    return hasBegun ? [] : [.begun(turn: turn)]
  }

  private mutating func clientCalls(_ calls: [Transcript.ToolCall]) -> [AnswerPart] {
    isWaiting = true
    return calls.map { call in
      .clientCall(.init(id: call.id, name: call.toolName, arguments: call.arguments.jsonString))
    }
  }

  /// Ends an answer whose events broke off.
  func failed(_ error: any Error) -> AnswerPart {
    .ended(AnswerEnd(reason: .failed(.afterAcceptance(error))))
  }

  private mutating func grown(_ change: TextChange) -> [AnswerPart] {
    change.isReasoning
      ? Self.parts(reasoning.apply(change)) { .reasoning($0) }
      : Self.parts(answer.apply(change)) { .text($0) }
  }

  private mutating func completed(_ text: String, isAnswer: Bool) -> [AnswerPart] {
    hasAnswer = hasAnswer || isAnswer
    return Self.parts(answer.complete(text)) { .text($0) } + [.message(isAnswer: isAnswer)]
  }

  private static func parts(
    _ text: String,
    _ part: (String) -> AnswerPart
  ) -> [AnswerPart] {
    text.isEmpty ? [] : [part(text)]
  }

  private mutating func ended(_ summary: TurnSummary) -> [AnswerPart] {
    var parts: [AnswerPart] = []
    if !hasAnswer, let text = summary.answer { parts += completed(text, isAnswer: true) }
    let end = AnswerEnd(
      reason: Self.reason(of: summary),
      usage: summary.usage,
      holder: summary.holder
    )
    return parts + [.ended(end)]
  }

  /// The caps that leave an answer without its end.
  private static let lengths: Set<String> = [
    "tokens", "length", "model_length", "contextSize", "maximumResponseTokens",
  ]

  private static func reason(of summary: TurnSummary) -> AnswerEnd.Reason {
    switch summary.exit {
    case .answered, .modeChanged, .finalAnswer: return .answered
    case .refused(let reason): return .refused(reason)
    case .cancelled: return .cancelled
    case .contextSizeExceeded(let problem):
      return .failed(OpenAIError(400, "context_length_exceeded", problem, param: "messages"))
    case .failed(let problem):
      return .failed(.afterAcceptance(ServiceError(.internalError, problem)).coded("turn_failed"))
    case .cap(let name):
      if lengths.contains(name) { return .length }
      // The cap ended the calls, and the model answered all the same.
      if summary.hasAnswer { return .answered }
      let problem = "The turn ended without an answer: \(summary.exit)."
      return .failed(.afterAcceptance(ServiceError(.internalError, problem)).coded("turn_capped"))
    }
  }

  // MARK: Notes

  /// A line about what happens inside.
  private static func note(_ event: TurnEvent) -> String? {
    switch event {
    case .batonPassed(let from, let to): "baton: \(from) → \(to)"
    case .friendPhoned(let agent, _, _): "  friend: \(agent) started"
    case .friendGone(let agent, _, _, let tokens, _): "  friend: \(agent) ended (\(tokens) tokens)"
    case .workerReplaced(let agent, _): "The worker of \(agent) was replaced; it goes on."
    case .approvalAsked(let record):
      "\(record.agent) waits for a person: orchestrator approve \(record.id), or deny it there"
    case .approvalAnswered(let record):
      "call \(record.id) was \(record.answer?.denial == nil ? "approved" : "denied")"
    case .toolProgress(_, _, let tool, let progress):
      "  \(tool): \(Excerpt.line("\(progress)", limit: 200))"
    case .trouble(let problem): Excerpt.line(problem, limit: 500)
    default: nil
    }
  }
}

extension OpenAIError {
  fileprivate func coded(_ code: String) -> OpenAIError {
    var error = self
    error.code = code
    return error
  }
}

/// Texts of tools and models, shortened to a line.
enum Excerpt {
  static func line(_ text: String, limit: Int) -> String {
    var line = ""
    var count = 0
    for scalar in text.unicodeScalars {
      guard count < limit else { return line + "…" }
      count += 1
      switch scalar.properties.generalCategory {
      case .lineSeparator, .paragraphSeparator: line += " / "
      case .control where scalar == "\n": line += " / "
      case .control where scalar == "\t": line += " "
      // They would change how the line around them is shown.
      case .control, .format: line.unicodeScalars.append("\u{FFFD}")
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line
  }
}
