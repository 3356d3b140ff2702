import AgentKit
import Journal

/// Past prompts and answers of a given total of tokens, as rendered by a chat template that adds
/// five around each.
struct History {
  let entries: [Transcript.Entry]

  init(tokens: Int) {
    let each = 125
    entries = (0..<max(2, tokens / each)).map { index in
      let text = Words.text(tokens: each - 5, seed: UInt64(index + 100))
      let segments: [Transcript.Segment] = [.text(.init(content: text))]
      return index.isMultiple(of: 2)
        ? .prompt(.init(segments: segments)) : .response(.init(segments: segments))
    }
  }

  /// Creates this many short entries.
  init(entries count: Int) {
    entries = (0..<count).map { index in
      let segments: [Transcript.Segment] = [.text(.init(content: "\(index)"))]
      return index.isMultiple(of: 2)
        ? .prompt(.init(segments: segments)) : .response(.init(segments: segments))
    }
  }
}

extension Stage {
  /// Writes a history into the journal, like that of a restarted coordinator.
  func plant(_ history: History, in name: String, with holder: String) async throws {
    let record = try await journal.conversation(named: name, holder: holder)
    guard let prompt = history.entries.first else { return }
    let (turn, _) = try await journal.beginTurn(
      in: record.id,
      prompt: RawEntry(prompt),
      caps: "{}"
    )
    try await journal.append(
      history.entries.dropFirst().map { .recorded(try RawEntry($0), nil) },
      in: record.id,
      turn: turn.id,
      agent: holder,
      run: "planted"
    )
    try await journal.append([.ended(.answered, revertingTo: nil)], in: record.id, turn: turn.id)
  }

  /// Returns the journaled entries of a conversation.
  func entries(of name: String) async throws -> [Transcript.Entry] {
    let reader = JournalReader(journal)
    guard let record = try await reader.conversation(named: name) else { return [] }
    return try await reader.entries(of: record.id).map(\.entry)
  }
}
