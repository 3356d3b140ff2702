import AgentKit
import Coordination
import Foundation
import Journal
import Testing
import Wire

/// Contexts that fill up, with real workers whose models count a word as a token.
@Suite(.timeLimit(.minutes(5)), .serialized) struct `A window` {
  /// Sets up a stage with an agent whose window holds 400 words.
  ///
  /// It begins and can pass the baton to an agent with a window of 120 words.
  private func share(_ body: (Stage) async throws -> Void) async throws {
    try await Stage.set { stage in
      stage.cast.give("puppet", stage.troupe.plugin("talker"))
      stage.cast.give("small", stage.troupe.plugin("small"))
      try await body(stage)
    }
  }

  private static func words(_ count: Int) -> String {
    Array(repeating: "x", count: count).joined(separator: " ")
  }

  @Test func `that is nearly full is emptied once, and the journal has all of it`() async throws {
    try await share { stage in
      let watched = Shown()
      for _ in 0..<24 {
        let summary = try await stage.ask("say \(Self.words(20))", watch: watched.note)
        #expect(summary.exit == .answered)
      }
      // At 42 words a turn, the window is nearly full after eight turns, then half empty.
      #expect(watched.contexts.count >= 3)
      #expect(watched.contexts.count <= 5)
      #expect(watched.contexts.allSatisfy { $0.isShared && $0.isSummarized })
      #expect(watched.contexts.allSatisfy { $0.tokensAfter <= 200 && $0.window == 400 })
      let reader = JournalReader(stage.journal)
      let conversation = try #require(try await reader.conversation(named: "test"))
      let changes = try await reader.stateChanges(of: conversation.id)
      #expect(changes.compactMap(\.change.context) == watched.contexts)
      #expect(try await reader.entries(of: conversation.id).count == 48)
      let seen = try await reader.history(of: conversation.id).map(\.entry)
      #expect(
        seen.first?.description.hasPrefix("[What was said before, in short: talk of ") == true
      )
      // A new worker is told what the last one saw, and no more.
      try await stage.killWorkers()
      _ = try await stage.ask("say hello")
      let order = stage.traffic.lines.last?.sent.compactMap { message -> TurnOrder? in
        if case .turn(let order) = message { order } else { nil }
      }.first
      #expect(order?.added.dropLast().map(\.entry) == seen)
    }
  }

  @Test func `that is smaller than the others' shows its agent a part, and the others all`()
    async throws
  {
    try await share { stage in
      let watched = Shown()
      for _ in 0..<3 { _ = try await stage.ask("say \(Self.words(40))", watch: watched.note) }
      #expect(watched.contexts.isEmpty)
      let passed = try await stage.ask("pass", watch: watched.note)
      #expect(passed.holder == "small")
      #expect(passed.answer == "small sees 3 entries")
      #expect(watched.contexts.map(\.isShared) == [false])
      #expect(watched.contexts.map(\.window) == [120])
      let back = try await stage.ask("back", watch: watched.note)
      #expect(back.holder == "puppet")
      #expect(back.answer == "talker sees 13 entries")
    }
  }
}

/// Collects what was shown about contexts.
private final class Shown: Sendable {
  private let watched = Events()

  var contexts: [ContextReport] {
    watched.all.compactMap { if case .context(_, let report) = $0 { report } else { nil } }
  }

  var troubles: [String] {
    watched.all.compactMap { if case .trouble(let problem) = $0 { problem } else { nil } }
  }

  func note(_ event: TurnEvent) { watched.note(event) }
}
