import Foundation
import Journal
import Testing

@testable import Coordination

/// A coordinator that stops at a chosen moment, to be followed by another.
struct Restart {
  let before: Table
  private let reached = Signal()

  /// - Parameter part: What the agent does before that moment.
  init(
    _ friends: KeyValuePairs<String, Script> = [:],
    part: @escaping @Sendable (FakeTurn) async throws -> Void
  ) throws {
    before = try Table(["a": answering("")], restarts: .never)
    before.workers.play("a", Self.until(reached, part))
    for (name, script) in friends {
      before.catalog.add(name)
      before.workers.play(name, script)
    }
  }

  static func until(
    _ reached: Signal,
    _ part: @escaping @Sendable (FakeTurn) async throws -> Void
  ) -> Script {
    serving { turn in
      try await part(turn)
      reached.fire()
      try await turn.worker.hang()
    }
  }

  /// Sends a prompt and abandons the coordinator at that moment.
  func fall(
    caps: String = "",
    isAttended: Bool = false,
    watch: @escaping @Sendable (TurnEvent) -> Void = { _ in }
  ) async throws {
    let before = before
    // Nothing waits for the first coordinator, because its process would be gone.
    Task { try await before.say("go", caps: caps, isAttended: isAttended, watch: watch) }
    await reached.wait()
  }
}

extension InterruptedTurn {
  /// Reads the first turn of the first conversation, after its friends are ended.
  init(first journal: Journal) async throws {
    let reader = JournalReader(journal)
    let record = try #require(try await reader.turns(of: 1).first)
    let friends = try await FriendRecovery(journal: journal).endFriends(of: record.id, in: 1)
    let past = ConversationPast(holder: "a")
    try await self.init(record, of: 1, from: past, friends: friends, reader)
  }
}

extension Journal {
  /// Counts resumptions of a turn of the first conversation.
  func resume(_ turn: Int64) async throws {
    try await append([.resumed(spent: 0)], in: 1, turn: turn)
  }
}
