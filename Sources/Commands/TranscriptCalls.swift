import AgentKit
import Foundation
import Journal

/// What hangs from the calls of a turn: by the entry that made them, and by call.
struct TranscriptCalls {
  /// The friends that answer a call, in the order in which they began: a tool may ask several.
  private(set) var friends: [Int64: [String: [TranscriptTree]]] = [:]
  /// Where the baton went.
  private(set) var batons: [Int64: [String: String]] = [:]
  /// Who took the baton, and for whom, because its holder was not there: for no call.
  private(set) var substitutions: [String] = []
  /// What a person was asked; where another coordinator asked anew, that is what counted.
  private(set) var approvals: [Int64: [String: ApprovalRecord]] = [:]

  /// - Parameter entries: Those of the turn, in order.
  init(of turn: Int64, _ entries: [EntryRecord], _ reader: JournalReader) async throws {
    let beginnings = try await reader.beginningsOfFriends(in: turn)
    for friend in try await reader.friends(of: turn) {
      guard let call = friend.parent?.callID,
        let entry = entries.maker(of: call, until: beginnings[friend.id], at: friend.created)
      else { continue }
      let tree = try await TranscriptTree(friend, reader)
      friends[entry, default: [:]][call, default: []].append(tree)
    }
    for baton in try await reader.batons(of: turn) {
      if baton.isSubstitution {
        substitutions.append(baton.words)
        continue
      }
      guard let entry = entries.maker(of: baton.callID, by: baton.from, at: baton.at) else {
        continue
      }
      batons[entry, default: [:]][baton.callID] = baton.words
    }
    for record in try await reader.approvals(of: turn) {
      let call = record.callID
      guard
        let entry = entries.maker(
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

extension [EntryRecord] {
  /// The entry that made a call from which something hangs; `nil` where none did.
  ///
  /// An identity may be a model's own word, and come again in a later round. Places in the journal say
  /// of which round something is. Where there is none the clock on the wall does, as well as it can:
  /// it may have been set meanwhile, and then what is of no round is shown with the last.
  /// - Parameters:
  ///   - agent: Whose call it is, where that is known.
  ///   - place: An entry at which no later round had begun.
  fileprivate func maker(
    of call: String,
    by agent: String? = nil,
    until place: Int64? = nil,
    at time: Date
  ) -> Int64? {
    let makers = filter { $0.makes(call) }
    if let place, let maker = makers.last(where: { $0.id <= place }) { return maker.id }
    let own = makers.filter { $0.agent == agent }
    let likely = own.isEmpty ? makers : own
    return (likely.last { $0.at <= time } ?? likely.last)?.id
  }
}

extension EntryRecord {
  fileprivate func makes(_ call: String) -> Bool {
    guard case .toolCalls(let calls) = entry else { return false }
    return calls.contains { $0.id == call }
  }
}
