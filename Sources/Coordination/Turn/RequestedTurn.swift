import Foundation
package import Journal
package import Transcripts

/// The turn that a request has asked for, as the journal has it.
package struct RequestedTurn: Sendable {
  /// The session that was asked.
  package let session: String
  /// The prompt, without its images.
  package let prompt: String
  package let options: TurnOptions?
  /// What those who waited for the turn were shown of it, without what grew; `nil` when it has not
  /// ended.
  package let events: [TurnEvent]?

  /// Finds the turn of a request; `nil` for a request that has not begun one.
  package init?(_ request: String, _ reader: JournalReader) async throws {
    guard let turn = try await reader.turn(ofRequest: request),
      let conversation = try await reader.conversation(turn.conversation),
      let session = conversation.name
    else { return nil }
    let facts = try await reader.facts(of: turn.conversation, turn: turn.id)
    guard case .prompted(let entry, _, let options, _)? = facts.first?.event,
      case .prompt(let prompt) = entry.entry
    else { return nil }
    self.session = session
    self.options = options
    self.prompt = prompt.segments.compactMap { segment in
      if case .text(let text) = segment { text.content } else { nil }
    }.joined(separator: "\n")
    guard turn.exit != nil else {
      events = nil
      return
    }
    let later = try await reader.facts(of: turn.conversation).drop { $0.turn != turn.id }
    let holder = later.lazy.compactMap(\.event.formerHolder).first ?? conversation.holder
    let past = ConversationPast(holder: holder)
    let budget = Budget(Caps(journaled: turn.caps) ?? Caps())
    let state = past.turn(turn.id, budget: budget).applying(facts)
    events = facts.flatMap { $0.events(in: session, of: turn, state) }
  }
}

extension Fact.Event {
  /// The holder of the baton before this moved it, or took it back.
  fileprivate var formerHolder: String? {
    switch self {
    case .passedBaton(let pass): pass.from
    case .ended(_, let holder): holder
    default: nil
    }
  }
}

extension Fact {
  /// Returns what is shown of a fact of a turn that has come to this in the end.
  fileprivate func events(
    in session: String,
    of turn: TurnRecord,
    _ state: TurnState
  ) -> [TurnEvent] {
    let agent = agent ?? state.baton.holder
    switch event {
    case .prompted: return [.accepted(turn: turn.id, conversation: session)]
    case .recorded(let entry, let usage):
      return TurnEvent.events(of: entry.entry, isAnswer: usage != nil, agent: agent)
    case .passedBaton(let pass): return [.batonPassed(from: pass.from, to: pass.to)]
    case .changedState(let change):
      return change.context.map { [.context(agent: agent, $0)] } ?? []
    case .died(let death): return [.workerReplaced(agent: agent, death: death.cause)]
    case .ended(let exit, let former):
      let summary = TurnSummary(
        turn: turn.id,
        exit: exit,
        holder: former ?? state.baton.holder,
        answer: former == nil ? state.answer?.text : nil,
        usage: state.usage,
        seconds: at.timeIntervalSince(turn.started)
      )
      return [.ended(summary)]
    default: return []
    }
  }
}
