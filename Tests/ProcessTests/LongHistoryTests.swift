import AgentKit
import Coordination
import Testing
import Wire

/// What a few photographs come to, with real workers.
@Suite(.timeLimit(.minutes(5)), .serialized) struct `A history too long for one message` {
  @Test func `is given to a new worker, and to the next that holds the baton`() async throws {
    try await Stage.set { stage in
      stage.cast.give("partner", stage.troupe.plugin("partner"))
      // JSON spells each of these with two bytes.
      let photo = String(repeating: "\"", count: 5 * WireLimits.message / 18)
      for _ in 0..<2 { #expect(try await stage.ask("\(photo) seen").answer == "seen") }
      try await stage.killWorkers()
      #expect(try await stage.ask("again seen").answer == "seen")
      #expect(try await stage.ask("pass").holder == "partner")
      let (anew, partner) = (try Self.told(stage, "puppet", 1), try Self.told(stage, "partner", 0))
      #expect(anew.parts > 0)
      // A prompt and an answer, twice, and the prompt that is to be answered.
      #expect(anew.entries == 5)
      // Its answer, then the prompt, the call and its output, which the partner is told twice:
      // it is asked first whether that fits.
      #expect(partner.parts > anew.parts)
      #expect(partner.entries == 9)
    }
  }

  /// In how many parts a worker was told what goes before an order, and of how many entries it knew
  /// when it had its first turn.
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
