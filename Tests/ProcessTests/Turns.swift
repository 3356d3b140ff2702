import AgentKit
import Wire

/// Plays the coordinator for the turns of a bare worker.
enum Turns {
  static func prompt(_ text: String) -> TurnOrder {
    let prompt = Transcript.Prompt(segments: [.text(.init(content: text))])
    return TurnOrder(turn: 1, kept: 0, added: [.prompt(prompt)])
  }

  /// Answers every question until a certain message arrives.
  @discardableResult
  static func serve(
    _ worker: BareWorker,
    until isMeant: (FromWorker) -> Bool
  ) async throws -> FromWorker {
    while true {
      let message = try await worker.hear { isMeant($0) || $0.isQuestion }
      if message.isQuestion { try answer(message, to: worker) }
      if isMeant(message) { return message }
    }
  }

  static func answer(_ question: FromWorker, to worker: BareWorker) throws {
    switch question {
    case .admission(let turn, _, _):
      try worker.say(.admitted(turn: turn, .admitted(.go(maximumTokens: nil))))
    case .entry(let turn, let entry, _):
      try worker.say(.recorded(turn: turn, entryID: entry.id, admittedCalls: 100))
    case .settle(let turn): try worker.say(.settled(turn: turn))
    case .state(let turn, _): try worker.say(.stateKept(turn: turn))
    case .phone(let turn, let callID, _, _):
      try worker.say(.friendAnswered(turn: turn, callID: callID, .answered("yes")))
    case .passBaton(let turn, let callID, let to):
      try worker.say(.batonPassed(turn: turn, callID: callID, holder: to, refusal: nil))
    default: break
    }
  }
}

extension FromWorker {
  /// Whether the worker waits for an answer to the message.
  var isQuestion: Bool {
    switch self {
    case .admission, .entry, .settle, .state, .phone, .passBaton: true
    default: false
    }
  }

  var isOutput: Bool {
    if case .unawaitedEntry(_, .toolOutput, _) = self { true } else { false }
  }

  var isCalls: Bool {
    if case .entry(_, .toolCalls, _) = self { true } else { false }
  }

  var isEnding: Bool {
    if case .ended = self { true } else { false }
  }
}
