import Foundation
import Journal
import Transcripts

/// What one fact makes of an open turn, and the spans that it ends.
struct TurnStep {
  var turn: OpenTurn
  var spans: [Span] = []
  let runs: [String: KnownRun]
  let settings: SpanSettings

  init(_ turn: OpenTurn, _ runs: [String: KnownRun], _ settings: SpanSettings) {
    (self.turn, self.runs, self.settings) = (turn, runs, settings)
  }

  mutating func apply(_ fact: Fact) {
    switch fact.event {
    case .passedBaton(let pass): passed(pass, fact)
    case .ended(let exit, let holder):
      end(exit, isReverted: holder != nil, at: fact.at, number: fact.id)
    case .resumed: turn.events.add("orchestrator.turn.resumed", at: fact.at)
    case .leftOpen: turn.events.add("orchestrator.turn.left_open", at: fact.at)
    case .imported: turn.events.add("orchestrator.turn.imported", at: fact.at)
    default:
      if let agent = fact.agent { hear(agent, fact) }
      happen(fact)
    }
  }

  /// What happened while an agent had the baton.
  private mutating func happen(_ fact: Fact) {
    switch fact.event {
    case .recorded(let entry, let usage):
      recorded(entry.entry, usage, fact)
    case .changedState(let change): changed(change, fact)
    case .returnedEarly(let entry):
      turn.withCall(entry.id) { $0.returned = $0.returned ?? fact.at }
    case .phoned(let call): turn.withCall(call.callID) { $0.friends.append(call.friend) }
    case .friendEnded(let end):
      // The caller is told, and its call goes on.
      turn.stretch?.events.add(
        "orchestrator.friend.ended",
        at: fact.at,
        [Attribute("orchestrator.exit", .string(end.answer?.exit.word ?? "unfinished"))]
      )
    case .askedApproval(let question):
      turn.withCall(question.callID) { $0.questions[fact.id] = fact.at }
    case .answeredApproval(let question, let decision):
      answered(question, decision, fact)
    case .calledServer(let call): turn.withCall(call.callID) { $0.server = call }
    case .abandonedRequest(let tokens):
      turn.stretch?.events.add(
        "orchestrator.request.abandoned",
        at: fact.at,
        [Attribute("orchestrator.tokens", .int(tokens))]
      )
    case .died(let death): died(death, fact)
    default: break
    }
  }
}
