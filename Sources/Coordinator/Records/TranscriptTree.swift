package import Foundation
package import Journal
package import Transcripts

/// A conversation with everything below it.
package struct TranscriptTree: Codable, Sendable, Equatable {
  package let name: String?
  package let agent: String
  package let pids: [Int32]
  /// The hosts on which its workers ran, other than the coordinator's.
  package let hosts: [String]
  /// What it began with, from another program's conversation.
  package let imported: [Transcript.Entry]
  package let turns: [Turn]

  package struct Turn: Codable, Sendable, Equatable {
    /// The number by which events and approvals refer to the turn.
    package let turn: Int64
    package let started: Date
    package let exit: String
    package let isReverted: Bool
    package let isUnderWay: Bool
    /// The moves of the baton that were made because its holder was not available.
    package let substitutions: [String]
    package let entries: [Entry]
    /// The results of calls that are not entries yet, because earlier calls are still running.
    package let earlyOutputs: [Transcript.Entry]
    /// The total cost, including friends.
    package let total: TokenTotal
    /// The cost of its friends and theirs.
    package let ofFriends: TokenTotal
  }

  package struct Entry: Codable, Sendable, Equatable {
    package let agent: String?
    package let run: String?
    package let entry: Transcript.Entry
    /// The friends that answer the calls of this entry, by call; a tool may ask several.
    package let friends: [String: [TranscriptTree]]
    /// The passes of the baton made by the calls of this entry.
    package let batons: [String: String]
    /// The questions to a person about the calls of this entry, by call.
    package let approvals: [String: ApprovalRecord]
    /// The agent's changes to the shared state between this entry and the next.
    package let written: [Written]
    /// The workers that died between this entry and the next.
    package let deaths: [DeathRecord]
    /// The cost; `nil` when no model made the entry.
    package let request: RequestUsage?
  }

  /// An agent's change to the shared state.
  package struct Written: Codable, Sendable, Equatable {
    package let agent: String
    /// The name of a session property, whose value is JSON.
    package var property: String?
    package var value: String?
    /// The number of entries that the models no longer see, next to what they see instead.
    package var removedEntries: Int?
    package var addedEntries: [Transcript.Entry]?
    /// How the agent's context was made to fit.
    package var context: ContextReport?
    /// The cost of the summary.
    package var request: RequestUsage?
  }

  /// - Parameter turn: The only turn to read; `nil` for all.
  init(
    _ conversation: ConversationRecord,
    turn only: Int64? = nil,
    _ reader: JournalReader
  ) async throws {
    name = conversation.name
    agent = conversation.holder
    let runs = try await reader.runs(of: conversation.id)
    pids = runs.map(\.pid)
    hosts = Set(runs.compactMap(\.host)).sorted()
    let all = try await reader.transcriptFacts(of: conversation.id, turn: only)
    let facts = Dictionary(grouping: all, by: \.turn)
    let entries = Dictionary(grouping: all.compactMap(EntryRecord.init), by: \.turn)
    imported = entries[0]?.map(\.entry) ?? []
    let written = try await Self.written(in: conversation.id, reader)
    let deaths = Dictionary(
      grouping: try await reader.deaths(of: conversation.id),
      by: \.afterEntry
    )
    var turns: [Turn] = []
    for turn in try await reader.turns(of: conversation.id) where turn.id == only ?? turn.id {
      let records = entries[turn.id] ?? []
      let calls = try await TranscriptCalls(of: turn.id, facts[turn.id] ?? [], reader)
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
          earlyOutputs: turn.exit == nil ? Self.early(records, facts[turn.id] ?? []) : [],
          total: TokenTotal(sum: own + below),
          ofFriends: TokenTotal(sum: below)
        )
      )
    }
    self.turns = turns
  }

  /// The cost of everything in the conversation.
  package var total: TokenTotal { TokenTotal(sum: turns.map(\.total)) }

  private static func early(_ records: [EntryRecord], _ facts: [Fact]) -> [Transcript.Entry] {
    let round = records.last { if case .toolCalls = $0.entry { true } else { false } }
    let open = Set(records.map(\.entry).openCalls.map(\.id))
    guard let round, !open.isEmpty else { return [] }
    return facts.drop { $0.id < round.id }.compactMap { fact in
      guard case .returnedEarly(let entry) = fact.event,
        case .toolOutput(let output) = entry.entry, open.contains(output.id)
      else { return nil }
      return entry.entry
    }
  }

  /// Returns the changes to the shared state, by the entry that they followed.
  private static func written(
    in conversation: Int64,
    _ reader: JournalReader
  ) async throws -> [Int64: [Written]] {
    var written: [Int64: [Written]] = [:]
    for record in try await reader.stateChanges(of: conversation) {
      let (agent, change) = (record.agent, record.change)
      var all = change.properties.sorted { $0.key < $1.key }.map { name, value in
        Written(agent: agent, property: name, value: value)
      }
      if let edit = change.history {
        all.append(
          Written(agent: agent, removedEntries: edit.removedCount, addedEntries: edit.added)
        )
      }
      if let context = change.context {
        all.append(Written(agent: agent, context: context, request: change.usage))
      }
      written[record.afterEntry, default: []] += all
    }
    return written
  }
}
