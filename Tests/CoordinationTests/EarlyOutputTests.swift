import AgentKit
import Journal
import Testing
import Wire

@testable import Coordination

/// Outputs of calls that return while earlier calls are still running.
@Suite(.timeLimit(.minutes(5)))
struct `An output that came before its turn` {
  /// The progress of each call, in words.
  private static func words(_ progress: [String: CallProgress]?) -> [String: String]? {
    progress?.mapValues { progress in
      if case .returned(let segments) = progress { segments.joinedText } else { "\(progress)" }
    }
  }

  @Test func `is told to the worker that goes on with the round`() async throws {
    let table = try Table([
      "a": lives(
        { turn in
          try await turn.record(.calls(["1", "2", "3"], "look"))
          try await turn.tellEarly("3", "seen")
          turn.worker.end(.signaled(9))
          throw WorkerGone()
        },
        { try await $0.answer("I see.") }
      )
    ])
    try await table.say("go")
    let orders = table.workers.launched.flatMap(\.orders)
    #expect(
      Self.words(orders.last?.openCalls) == ["1": "perhapsRun", "2": "perhapsRun", "3": "seen"]
    )
    // It becomes an entry only after the outputs of the calls before it.
    #expect(orders.last?.entries.openCalls.count == 3)
  }

  @Test func `outlives its coordinator`() async throws {
    let restart = try Restart { turn in
      // This round is over: a later call reuses the same identifier.
      try await turn.record(.calls(["1", "2"], "look"))
      try await turn.tellEarly("2", "an old one")
      try await turn.record(.output("1", "look", "seen"))
      try await turn.record(.output("2", "look", "an old one"))
      try await turn.record(.calls(["1", "2", "3"], "look"))
      try await turn.tellEarly("3", "seen")
    }
    try await restart.fall()
    let table = try Table(["a": answering("I see.")], after: restart.before)
    #expect(try await table.talk.resume { _ in }?.answer == "I see.")
    #expect(
      Self.words(table.workers.launched.flatMap(\.orders).last?.openCalls)
        == ["1": "perhapsRun", "2": "perhapsRun", "3": "seen"]
    )
  }

  @Test func `is nothing when its call is not open, or cannot have been made`() async throws {
    let restart = try Restart { turn in
      try await turn.record(.calls(["1", "2", "3"], "look"))
      try await turn.record(.output("1", "look", "seen"))
      for call in ["1", "3", "4"] { try await turn.tellEarly(call, "a lie") }
      try await turn.tellEarly("2", "seen")
      try await turn.tellEarly("2", "and seen otherwise")
    }
    try await restart.fall(caps: "calls=2")
    let early = try await JournalReader(restart.before.journal).facts(of: 1, turn: 1).compactMap {
      if case .returnedEarly(let entry) = $0.event { entry.words } else { nil }
    }
    #expect(early == ["output: seen"])
    let table = try Table(["a": answering("I see.")], after: restart.before)
    _ = try await table.talk.resume { _ in }
    #expect(
      Self.words(table.workers.launched.flatMap(\.orders).last?.openCalls)
        == ["2": "seen", "3": "refused"]
    )
  }

  @Test func `is told as far as one message can hold it`() async throws {
    let long = String(repeating: "x", count: 3 << 20)
    let table = try Table([
      "a": lives(
        { turn in
          try await turn.record(.calls(["1", "2", "3"], "look"))
          try await turn.tellEarly("2", long)
          try await turn.tellEarly("3", long)
          turn.worker.end(.signaled(9))
          throw WorkerGone()
        },
        { try await $0.answer("I see.") }
      )
    ])
    #expect(try await table.say("go").exit == .answered)
    #expect(
      Self.words(table.workers.launched.flatMap(\.orders).last?.openCalls)
        == ["1": "perhapsRun", "2": long, "3": "perhapsRun"]
    )
  }
}
