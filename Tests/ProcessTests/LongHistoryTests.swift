import AgentKit
import Coordination
import Testing
import Wire

/// A history as large as one with a few photographs, with real workers.
@Suite(.timeLimit(.minutes(5)), .serialized) struct `A history too long for one message` {
  @Test func `is given to a new worker, and to the next that holds the baton`() async throws {
    try await Stage.set { stage in
      stage.cast.give("partner", stage.troupe.plugin("partner"))
      // The journal encodes each of these characters as two bytes, and so does a message.
      let photo = String(repeating: "\"", count: 5 * EntryLimit.bytes / 18)
      for _ in 0..<4 { #expect(try await stage.ask("\(photo) seen").answer == "seen") }
      try await stage.killWorkers()
      #expect(try await stage.ask("again seen").answer == "seen")
      #expect(try await stage.ask("pass").holder == "partner")
      let (anew, partner) = (try Self.told(stage, "puppet", 1), try Self.told(stage, "partner", 0))
      #expect(anew.parts > 0)
      // A prompt and an answer, four times, and the prompt to be answered.
      #expect(anew.entries == 9)
      // Its answer, then the prompt, the call and its output. The partner is told these twice,
      // because it is first asked whether they fit.
      #expect(partner.parts > anew.parts)
      #expect(partner.entries == 13)
    }
  }

  /// The number of parts that preceded a worker's first turn, and of entries that it knew then.
  private static func told(
    _ stage: Stage,
    _ agent: String,
    _ place: Int
  ) throws -> (parts: Int, entries: Int) {
    let lines = stage.traffic.lines(of: agent)
    let sent = try #require(lines.indices.contains(place) ? lines[place].sent : nil)
    let parts = sent.count { if case .history = $0 { true } else { false } }
    let orders = sent.compactMap { if case .turn(let order) = $0 { order } else { nil } }
    let order = try #require(orders.first)
    return (parts, order.kept + order.added.count)
  }
}
