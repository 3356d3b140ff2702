import AgentKit
import Foundation
import Journal

/// A conversation with everything that hangs from it.
struct TranscriptTree: Encodable {
  let name: String?
  let agent: String
  let pids: [Int32]
  let turns: [Turn]

  struct Turn: Encodable {
    let started: Date
    let exit: String
    let isReverted: Bool
    let isUnderWay: Bool
    /// Where the baton went because the one that held it was not there.
    let substitutions: [String]
    let entries: [Entry]
    /// What calls have returned that are no entries yet, because calls before them still run.
    let earlyOutputs: [Transcript.Entry]
    /// What it cost in all, with its friends.
    let total: TokenTotal
    /// What its friends and theirs cost.
    let ofFriends: TokenTotal
  }

  struct Entry: Encodable {
    let agent: String?
    let run: String?
    let entry: Transcript.Entry
    /// The friends that answer the calls of this entry, by call.
    let friends: [String: TranscriptTree]
    /// Where the baton went with the calls of this entry.
    let batons: [String: String]
    /// What a person was asked about the calls of this entry, by call.
    let approvals: [String: ApprovalRecord]
    /// What its agent wrote to what the agents share, between this entry and the next.
    let written: [Written]
    /// The workers that died between this entry and the next.
    let deaths: [DeathRecord]
    /// What it cost; `nil` for what no model made.
    let request: RequestRecord?
  }

  /// Something that an agent wrote to what the agents share.
  struct Written: Encodable {
    let agent: String
    /// The name of a session property, and its value in JSON.
    var property: String?
    var value: String?
    /// How many entries the models do not see any more, and what they see instead.
    var removedEntries: Int?
    var addedEntries: [Transcript.Entry]?
    /// How its context was made to fit.
    var context: ContextReport?
    /// What the summary cost.
    var request: RequestRecord?
  }

  init(_ conversation: ConversationRecord, _ reader: JournalReader) async throws {
    name = conversation.name
    agent = conversation.holder
    pids = try await reader.runs(of: conversation.id).map(\.pid)
    let entries = Dictionary(
      grouping: try await reader.entries(of: conversation.id),
      by: \.turn
    )
    let written = try await Self.written(in: conversation.id, reader)
    let deaths = Dictionary(
      grouping: try await reader.deaths(of: conversation.id),
      by: \.afterEntry
    )
    var turns: [Turn] = []
    for turn in try await reader.turns(of: conversation.id) {
      let friends = try await reader.friends(of: turn.id)
      let batons = try await reader.batons(of: turn.id)
      let approvals = try await reader.approvals(of: turn.id)
      var shown: [Entry] = []
      let records = entries[turn.id] ?? []
      for (index, record) in records.enumerated() {
        var nested: [String: TranscriptTree] = [:]
        var passes: [String: String] = [:]
        var asked: [String: ApprovalRecord] = [:]
        if case .toolCalls(let calls) = record.entry {
          // An identity may be a model's own word, and come again in the next round; and within a round
          // the last is what counted, where another coordinator asked anew.
          let next = records[(index + 1)...].first {
            if case .toolCalls = $0.entry { true } else { false }
          }
          let round = record.at..<max(record.at, next?.at ?? .distantFuture)
          for call in calls {
            let isOfCall = { (id: String?, at: Date) in id == call.id && round.contains(at) }
            if let friend = friends.last(where: { isOfCall($0.parent?.callID, $0.created) }) {
              nested[call.id] = try await TranscriptTree(friend, reader)
            }
            if let baton = batons.last(where: { isOfCall($0.callID, $0.at) }) {
              passes[call.id] = baton.words
            }
            asked[call.id] = approvals.last { isOfCall($0.callID, $0.asked) }
          }
        }
        shown.append(
          Entry(
            agent: record.agent,
            run: record.run,
            entry: record.entry,
            friends: nested,
            batons: passes,
            approvals: asked,
            written: written[record.id] ?? [],
            deaths: deaths[record.id] ?? [],
            request: record.request
          )
        )
      }
      let below = shown.flatMap(\.friends.values).map(\.total)
      let own = shown.flatMap(\.requests).map(TokenTotal.init)
      turns.append(
        Turn(
          started: turn.started,
          exit: turn.exit?.description ?? "under way",
          isReverted: turn.isReverted,
          isUnderWay: turn.exit == nil,
          substitutions: batons.filter(\.isSubstitution).map(\.words),
          entries: shown,
          earlyOutputs: turn.exit == nil ? try await Self.early(in: turn.id, records, reader) : [],
          total: TokenTotal(sum: own + below),
          ofFriends: TokenTotal(sum: below)
        )
      )
    }
    self.turns = turns
  }

  /// What everything in it cost.
  var total: TokenTotal { TokenTotal(sum: turns.map(\.total)) }

  private static func early(
    in turn: Int64,
    _ records: [EntryRecord],
    _ reader: JournalReader
  ) async throws -> [Transcript.Entry] {
    let round = records.last { if case .toolCalls = $0.entry { true } else { false } }
    let open = Set(records.map(\.entry).openCalls.map(\.id))
    guard let round, !open.isEmpty else { return [] }
    return try await reader.earlyOutputs(of: turn, since: round.id)
      .filter { open.contains($0.output.id) }.map { .toolOutput($0.output) }
  }

  /// What was written to what the agents share, by the entry after which it was.
  private static func written(
    in conversation: Int64,
    _ reader: JournalReader
  ) async throws -> [Int64: [Written]] {
    var written: [Int64: [Written]] = [:]
    for record in try await reader.propertyRecords(of: conversation) {
      written[record.afterEntry, default: []].append(
        Written(agent: record.agent, property: record.name, value: record.value)
      )
    }
    for record in try await reader.historyEdits(of: conversation) {
      written[record.afterEntry, default: []].append(
        Written(
          agent: record.agent,
          removedEntries: record.edit.removedCount,
          addedEntries: record.edit.added
        )
      )
    }
    for record in try await reader.contexts(of: conversation) {
      written[record.afterEntry, default: []].append(
        Written(agent: record.agent, context: record.report, request: record.request)
      )
    }
    return written
  }
}

extension BatonRecord {
  fileprivate var words: String { "\(from) → \(to)" }
}
