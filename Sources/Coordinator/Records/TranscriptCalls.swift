import Foundation
import Journal
import Transcripts

/// What belongs to the calls of a turn, by the entry that made them and by call.
struct TranscriptCalls {
  /// The friends that answer a call, in the order in which they began; a tool may ask several.
  private(set) var friends: [Int64: [String: [TranscriptTree]]] = [:]
  private(set) var batons: [Int64: [String: String]] = [:]
  /// The moves of the baton that no call made, because its holder was not available.
  private(set) var substitutions: [String] = []
  /// The questions to a person; if another coordinator asked again, its question counts.
  private(set) var approvals: [Int64: [String: ApprovalRecord]] = [:]

  /// Reads what belongs to the calls of a turn.
  /// - Parameter entries: The entries of the turn, in order.
  init(of turn: Int64, _ entries: [EntryRecord], _ reader: JournalReader) async throws {
    let makers = CallMakers(entries)
    let beginnings = try await reader.beginningsOfFriends(in: turn)
    for friend in try await reader.friends(of: turn) {
      guard let call = friend.parent?.callID,
        let entry = makers.maker(of: call, until: beginnings[friend.id], at: friend.created)
      else { continue }
      let tree = try await TranscriptTree(friend, reader)
      friends[entry, default: [:]][call, default: []].append(tree)
    }
    for baton in try await reader.batons(of: turn) {
      if baton.isSubstitution {
        substitutions.append(baton.words)
        continue
      }
      guard let entry = makers.maker(of: baton.callID, by: baton.from, at: baton.at) else {
        continue
      }
      batons[entry, default: [:]][baton.callID] = baton.words
    }
    for record in try await reader.approvals(of: turn) {
      let call = record.callID
      guard
        let entry = makers.maker(
          of: call,
          by: record.agent,
          until: record.afterEntry,
          at: record.asked
        )
      else { continue }
      approvals[entry, default: [:]][call] = record
    }
  }
}

extension BatonRecord {
  fileprivate var words: String { "\(from) → \(to)" }
}

/// The entries of a turn that make calls, by the identity of the call.
private struct CallMakers {
  private var entries: [String: [EntryRecord]] = [:]

  init(_ records: [EntryRecord]) {
    for record in records {
      guard case .toolCalls(let calls) = record.entry else { continue }
      for call in Set(calls.map(\.id)) { entries[call, default: []].append(record) }
    }
  }

  /// Returns the entry that made a call; `nil` when none did.
  ///
  /// A model may choose an identity, and it may recur in a later round. Places in the journal tell
  /// the round. Without a place the wall clock does, imperfectly: it may have been set, and what
  /// then fits no round is shown with the last.
  /// - Parameters:
  ///   - agent: The agent that made the call, if known.
  ///   - place: An entry at which no later round had begun.
  func maker(
    of call: String,
    by agent: String? = nil,
    until place: Int64? = nil,
    at time: Date
  ) -> Int64? {
    let makers = entries[call] ?? []
    if let place, let maker = makers.last(where: { $0.id <= place }) { return maker.id }
    let own = makers.filter { $0.agent == agent }
    let likely = own.isEmpty ? makers : own
    return (likely.last { $0.at <= time } ?? likely.last)?.id
  }
}
