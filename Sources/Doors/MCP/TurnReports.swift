import Coordination
import Journal
import Transcripts

/// What is worth a report while a turn goes on, in a line each.
struct TurnReports: Sendable {
  /// How often growing text is reported at most.
  private static let textInterval = Duration.seconds(1)

  private var lastText: ContinuousClock.Instant?
  /// The growing entry and its bytes.
  private var text: (entry: String, bytes: Int) = ("", 0)

  mutating func line(for event: TurnEvent, at now: ContinuousClock.Instant) -> String? {
    switch event {
    case .accepted: "the prompt is accepted"
    case .resumed: "an interrupted turn goes on first"
    case .workerReplaced(let agent, _): "a new process replaces \(agent)"
    case .text(let agent, let change): line(for: change, of: agent, at: now)
    case .toolCall(_, let agent, let tool, _): "\(agent) calls \(tool)"
    case .toolOutput(_, let agent, let tool, _): "\(tool) of \(agent) has returned"
    case .toolProgress(_, _, let tool, let progress): "\(tool): \(progress)"
    case .approvalAsked(let record) where record.form != nil:
      "request \(record.id) waits for a person: \(record.tool) wants an answer"
    case .approvalAsked(let record):
      "request \(record.id) waits for a person: may \(record.agent) call \(record.tool)?"
    case .approvalAnswered(let record):
      "request \(record.id) is \(record.answer?.denial == nil ? "approved" : "denied")"
    case .context(let agent, let report): "context of \(agent): \(report)"
    case .batonPassed(let from, let to): "baton: \(from) → \(to)"
    case .friendPhoned(let agent, _, _): "friend: \(agent) is asked"
    case .friendGone(let agent, _, _, _, _): "friend: \(agent) has ended"
    case .coreAwaited(let agent, let place, _): "\(agent) waits for a core, place \(place)"
    case .memoryAwaited(let agent, _): "\(agent) waits for memory"
    case .hostAwaited(let agent, let wait): "\(agent) waits for \(wait.host)"
    case .serverAwaited(let agent, let wait): "\(agent) waits for \(wait.server)"
    case .answered(let agent, _): "\(agent) has answered"
    case .trouble(let problem): problem
    default: nil
    }
  }

  private mutating func line(
    for change: TextChange,
    of agent: String,
    at now: ContinuousClock.Instant
  ) -> String? {
    text = (change.entryID, change.keptBytes + change.added.utf8.count)
    if let lastText, now - lastText < Self.textInterval { return nil }
    lastText = now
    return "\(agent) \(change.isReasoning ? "thinks" : "answers"), \(text.bytes) bytes so far"
  }
}
