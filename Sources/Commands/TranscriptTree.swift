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
    /// The number by which events and approvals name it.
    let turn: Int64
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
    /// The friends that answer the calls of this entry, by call: a tool may ask several.
    let friends: [String: [TranscriptTree]]
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
      let records = entries[turn.id] ?? []
      let calls = try await TranscriptCalls(of: turn.id, records, reader)
      let shown = records.map { record in
        Entry(
          agent: record.agent,
          run: record.run,
          entry: record.entry,
          friends: calls.friends[record.id] ?? [:],
          batons: calls.batons[record.id] ?? [:],
          approvals: calls.approvals[record.id] ?? [:],
          written: written[record.id] ?? [],
          deaths: deaths[record.id] ?? [],
          request: record.request
        )
      }
      let below = shown.flatMap { $0.friends.values.joined() }.map(\.total)
      let own = shown.flatMap(\.requests).map(TokenTotal.init)
      turns.append(
        Turn(
          turn: turn.id,
          started: turn.started,
          exit: turn.exit?.description ?? "under way",
          isReverted: turn.isReverted,
          isUnderWay: turn.exit == nil,
          substitutions: calls.substitutions,
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
