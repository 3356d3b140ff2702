import AgentKit
import Coordination
import Journal
import Testing

/// Turns that would never end, with real workers.
@Suite(.timeLimit(.minutes(5)), .serialized) struct `An agent that goes in circles` {
  @Test func `is told so, then ended, and hears by which exit`() async throws {
    try await Stage.set { stage in
      stage.cast.give("puppet", stage.troupe.plugin("circler"))
      let summary = try await stage.ask("go")
      #expect(summary.exit == .cap("repeats"))
      // The model was told why it no longer had tools.
      let answer = try #require(summary.answer)
      #expect(answer.contains("[The cap on repeats is reached."), "\(answer)")
      let reader = JournalReader(stage.journal)
      let outputs = try await reader.entries(of: 1).compactMap { record -> String? in
        if case .toolOutput(let output) = record.entry { output.description } else { nil }
      }
      #expect(outputs.prefix(3) == ["nothing", "nothing", "nothing"])
      #expect(outputs.dropFirst(3).count == 2)
      let notice = #"{"status": "repeated", "tool": "look", "#
      #expect(outputs.dropFirst(3).allSatisfy { $0.hasPrefix(notice) })
      #expect(try await reader.turns(of: 1).map(\.exit) == [.cap("repeats")])
      #expect(try await reader.properties(of: 1)["lastExit"] == #""cap on repeats""#)
    }
  }
}
