import AgentKit
import ArgumentParser
import Foundation
import Journal

struct TranscriptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transcript",
    abstract: "Shows a session, with the transcript of every friend under its call.",
    discussion: "Without a session it shows the one that was used last."
  )

  @Argument(help: "The name of the session.")
  var session: String?

  @Flag(help: "Write JSON.")
  var json = false

  func run() async throws {
    try await reporting {
      let folders = try Folders(environment: ProcessInfo.processInfo.environment)
      guard let reader = try JournalReader(path: folders.journal) else {
        throw CommandError.nothingJournaled(folders.journal)
      }
      let all = try await reader.conversations()
      let named = session.map { name in all.first { $0.name == name } } ?? all.first
      guard let conversation = named else {
        throw CommandError.noSuchSession(session ?? "")
      }
      let tree = try await TranscriptTree(conversation, reader)
      if json {
        print(try JSONOutput.document(tree))
      } else {
        print(tree.lines(indent: 0).joined(separator: "\n"))
      }
    }
  }
}

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
    let entries: [Entry]
  }

  struct Entry: Encodable {
    let agent: String?
    let run: String?
    let entry: Transcript.Entry
    /// The friends that answer the calls of this entry, by call.
    let friends: [String: TranscriptTree]
    /// Where the baton went with the calls of this entry.
    let batons: [String: String]
  }

  init(_ conversation: ConversationRecord, _ reader: JournalReader) async throws {
    name = conversation.name
    agent = conversation.holder
    pids = try await reader.runs(of: conversation.id).map(\.pid)
    let entries = Dictionary(
      grouping: try await reader.entries(of: conversation.id),
      by: \.turn
    )
    var turns: [Turn] = []
    for turn in try await reader.turns(of: conversation.id) {
      let friends = try await reader.friends(of: turn.id)
      let batons = try await reader.batons(of: turn.id)
      var shown: [Entry] = []
      for record in entries[turn.id] ?? [] {
        var nested: [String: TranscriptTree] = [:]
        var passes: [String: String] = [:]
        if case .toolCalls(let calls) = record.entry {
          for call in calls {
            if let friend = friends.first(where: { $0.parent?.callID == call.id }) {
              nested[call.id] = try await TranscriptTree(friend, reader)
            }
            if let baton = batons.first(where: { $0.callID == call.id }) {
              passes[call.id] = "\(baton.from) → \(baton.to)"
            }
          }
        }
        shown.append(
          Entry(
            agent: record.agent,
            run: record.run,
            entry: record.entry,
            friends: nested,
            batons: passes
          )
        )
      }
      turns.append(
        Turn(
          started: turn.started,
          exit: turn.exit?.description ?? "under way",
          isReverted: turn.isReverted,
          entries: shown
        )
      )
    }
    self.turns = turns
  }

  func lines(indent: Int) -> [String] {
    let margin = String(repeating: "  ", count: indent)
    var lines: [String] = []
    for turn in turns {
      for entry in turn.entries { lines += self.lines(of: entry, margin: margin, indent: indent) }
      let note = turn.isReverted ? " (taken back)" : ""
      lines.append("\(margin)── \(turn.exit)\(note)")
    }
    return lines
  }

  private func lines(of shown: Entry, margin: String, indent: Int) -> [String] {
    func block(_ who: String, _ text: String) -> [String] {
      let parts = text.split(separator: "\n", omittingEmptySubsequences: false)
      return parts.enumerated().map { index, line in
        index == 0 ? "\(margin)\(who): \(line)" : "\(margin)  \(line)"
      }
    }
    switch shown.entry {
    case .prompt(let entry): return block("person", entry.segments.joinedText)
    case .response(let entry): return block(shown.agent ?? "", entry.segments.joinedText)
    case .reasoning(let entry):
      return block("\(shown.agent ?? "") thinks", entry.segments.joinedText)
    case .toolOutput(let entry): return block("  \(entry.toolName) →", entry.segments.joinedText)
    case .instructions(let entry): return block("instructions", entry.segments.joinedText)
    case .toolCalls(let calls):
      return calls.flatMap { call -> [String] in
        var lines = block(
          "\(shown.agent ?? "") calls",
          "\(call.toolName)\(call.arguments.jsonString)"
        )
        if let baton = shown.batons[call.id] { lines.append("\(margin)  baton: \(baton)") }
        if let friend = shown.friends[call.id] {
          let pids = friend.pids.map(String.init).joined(separator: ", ")
          lines.append("\(margin)  friend \(friend.agent) (pid \(pids)):")
          lines += friend.lines(indent: indent + 2)
        }
        return lines
      }
    }
  }
}
