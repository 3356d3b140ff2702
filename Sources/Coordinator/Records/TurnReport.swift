import Journal
package import Transcripts

/// One turn of a session, with what a door needs to answer for it again.
package struct TurnReport: Codable, Sendable, Equatable {
  package var session: String
  package var turn: TranscriptTree.Turn
  /// Why it ended; `nil` while it is under way.
  package var exit: TurnExit?
  /// The agent that holds the baton of the session.
  package var holder: String
  /// Whether no later turn counts.
  package var isLatest: Bool
}

extension JournalRecords {
  func latestTurn(of session: String) async throws -> Int64? {
    try await reader()?.latestTurn(of: session)
  }

  /// Returns a turn of a session; `nil` for a friend's turn, and for one that does not exist.
  func turn(_ id: Int64) async throws -> TurnReport? {
    let reader = try journal
    guard let conversation = try await reader.conversation(ofTurn: id),
      let session = conversation.name
    else { return nil }
    let records = try await reader.turns(of: conversation.id)
    let tree = try await TranscriptTree(conversation, turn: id, reader)
    guard let record = records.first(where: { $0.id == id }),
      let turn = tree.turns.first(where: { $0.turn == id })
    else { return nil }
    return TurnReport(
      session: session,
      turn: turn,
      exit: record.exit,
      holder: conversation.holder,
      isLatest: records.last { !$0.isReverted }?.id == id
    )
  }
}
