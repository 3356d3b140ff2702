import Coordination

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
