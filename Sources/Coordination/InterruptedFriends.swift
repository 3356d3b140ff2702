import AgentKit
import Journal
import Wire

/// What a conversation, and the friends that it phoned, took of a budget.
struct Spending {
  private(set) var rounds = 0
  private(set) var calls = 0
  /// What its requests took together.
  private(set) var figures = RequestFigures()
  var tokens: Int { figures.tokensOut }

  init(of conversation: Int64, _ reader: JournalReader) async throws {
    for record in try await reader.entries(of: conversation) {
      if let request = record.request {
        rounds += record.rounds
        figures.addTokens(of: RequestFigures(request))
      }
      if case .toolCalls(let made) = record.entry { calls += made.count }
    }
    for record in try await reader.contexts(of: conversation) {
      guard let request = record.request else { continue }
      rounds += 1
      figures.addTokens(of: RequestFigures(request))
    }
    for turn in try await reader.turns(of: conversation) {
      for friend in try await reader.friends(of: turn.id) {
        let spent = try await Spending(of: friend.id, reader)
        rounds += spent.rounds
        calls += spent.calls
        figures.addTokens(of: spent.figures)
      }
    }
  }
}

extension ConversationRecord {
  /// What a friend was asked; `nil` for a conversation that is no friend's.
  func question(_ reader: JournalReader) async throws -> FriendQuestion? {
    guard let parent else { return nil }
    let first = try await reader.entries(of: id).first
    guard case .prompt(let prompt)? = first?.entry else { return nil }
    return FriendQuestion(
      callID: parent.callID,
      friend: holder,
      prompt: prompt.segments.joinedText
    )
  }

  /// What a friend has answered; `nil` when it can be asked anew, because it had not done anything
  /// when its coordinator ended.
  func answer(_ reader: JournalReader) async throws -> FriendAnswer? {
    guard let turn = try await reader.turns(of: id).last else { return nil }
    let entries = try await reader.entries(of: id)
    let answers = entries.compactMap { record -> String? in
      // Text beside calls is no answer.
      guard record.request != nil, case .response(let response) = record.entry else { return nil }
      return response.segments.joinedText
    }
    let figures = try await Spending(of: id, reader).figures
    if !turn.isReverted, let answer = answers.last {
      return FriendAnswer(answer, exit: turn.exit ?? .answered, figures)
    }
    // Its coordinator was told to leave when all but its end was there; nobody has taken it back.
    if turn.exit == .cancelled, entries.last?.request != nil, case .response? = entries.last?.entry,
      let answer = answers.last
    {
      return FriendAnswer(answer, exit: .answered, figures)
    }
    let hasCalled = entries.contains { if case .toolCalls = $0.entry { true } else { false } }
    // It is cancelled where its coordinator was told to leave.
    let wasLeft = turn.exit == .coordinatorEnded || turn.exit == .cancelled
    if wasLeft, !hasCalled { return nil }
    return FriendAnswer(nil, exit: turn.exit ?? .failed("It came to no end."), figures)
  }
}

extension TurnExit {
  /// Nobody goes on with a friend's turn: whoever phoned it decides what to do.
  fileprivate static let coordinatorEnded = TurnExit.failed(
    "The coordinator ended during the turn. What its tools did until then stands."
  )
}

extension Journal {
  /// Ends the turns of the friends that a turn had on the phone when its coordinator ended.
  func endFriends(of turn: Int64) async throws {
    let reader = JournalReader(self)
    for friend in try await reader.friends(of: turn) {
      let entries = try await reader.entries(of: friend.id)
      for turn in try await reader.turns(of: friend.id) where turn.exit == nil {
        try await endFriends(of: turn.id)
        if case .response? = entries.last?.entry, entries.last?.request != nil {
          try await endTurn(turn.id, exit: .answered, revertingTo: nil)
        } else {
          try await endTurn(turn.id, exit: .coordinatorEnded, revertingTo: friend.holder)
        }
      }
    }
  }
}
