import AgentKit
import Coordination
import Foundation
import Wire

/// From the journaled pass of the baton to the receiver's first words, when it has answered in the
/// conversation before and 4,000 tokens have come since.
enum BatonRow {
  private static let instructions = Words.text(tokens: 50)
  private static let agents: [AgentSource] = [
    .host(of: "specialist"), .specialist(instructions: instructions, tokens: 48),
  ]
  private static let contextSize = 10240

  static func run(_ plan: Plan) async throws -> Outcome {
    let server = LlamaServer.Setting(contextSize: contextSize, cacheMegabytes: 8192)
    let name = "llama-server, one slot and its cache in memory"
    let (first, tokens) = try await compare(plan, server, name, runs: plan.runs(15))
    return Outcome(rows: [
      Row(
        name: "the baton comes back, 4,000 tokens behind it: tokens computed",
        measured: tokens.computed,
        against: tokens.unseen,
        goal: .atMost(1),
        expected: "1",
        remark: "of \(tokens.whole) in all"
      ),
      Row(
        name: "the same, baton journaled to first words",
        measured: first.worker,
        against: first.server,
        goal: .atMost(1),
        expected: "0.95",
        remark: "\(tokens.server) tokens computed by the server"
      ),
    ])
  }

  static func runOneSlot(_ plan: Plan) async throws -> Outcome {
    let server = LlamaServer.Setting(contextSize: contextSize)
    let (first, _) = try await compare(plan, server, "llama-server, one slot", runs: 2)
    return Outcome(rows: [
      Row(
        name: "the same",
        measured: first.worker,
        against: first.server,
        goal: .atMost(1),
        expected: "0.02"
      )
    ])
  }

  private static func compare(
    _ plan: Plan,
    _ setting: LlamaServer.Setting,
    _ name: String,
    runs: Int
  ) async throws -> (
    first: (worker: Sample, server: Sample),
    tokens: (computed: Sample, unseen: Sample, whole: Int, server: Int)
  ) {
    var worker = Sample("worker")
    var server = Sample(name)
    var computed = Sample("worker", unit: "tokens")
    var unseen = Sample("what it has not seen", unit: "tokens")
    var (whole, byServer) = (0, 0)
    let house = Stage.Setting(model: plan.fixtures.model, contextSize: contextSize)
    try await Stage.set(house, agents: agents) { stage in
      try await stage.prepare("specialist", "host")
      try await stage.plant(History(tokens: 4000), in: "shared", with: "host")
      let conversation = try await stage.conversation("shared", with: "host")
      // The first answer computes everything; the later ones come back to it.
      try await stage.turn("begin", in: conversation)
      try await LlamaServer.run(plan.fixtures, setting) { peer in
        for _ in 0..<runs {
          stage.timeline.clear()
          let before = try await stage.entries(of: "shared").count
          try await stage.turn("go on", in: conversation)
          let visit = try Visit(stage, since: before, try await stage.entries(of: "shared"))
          worker.add(visit.firstWords)
          computed.add(Double(visit.computed))
          unseen.add(Double(visit.unseen))
          _ = try await peer.answer(chat(visit.held), tokens: 1)
          // Meanwhile the slot serves another agent.
          let other = Chat(instructions: Words.text(tokens: 200, seed: 9), question: "time")
          _ = try await peer.answer(other, tokens: 1)
          let reply = try await peer.answer(chat(visit.seen), tokens: 1)
          server.add(reply.firstWords)
          try await peer.settle()
          (whole, byServer) = (visit.whole, reply.computed)
        }
      }
    }
    return ((worker, server), (computed, unseen, whole, byServer))
  }

  private static func chat(_ entries: [Transcript.Entry]) -> Chat {
    Chat(instructions: instructions, tools: [PassBaton(to: "host")], entries)
  }

  /// One return of the baton.
  private struct Visit {
    let firstWords: Duration
    let computed: Int
    /// The tokens of the whole prompt.
    let whole: Int
    /// The tokens between what the specialist's worker was last given and what it is to answer.
    ///
    /// They include its own call, because random weights spell it in other tokens than those of its
    /// text.
    let unseen: Int
    /// The entries that the server is to hold: what the worker was given before it passed the
    /// baton.
    ///
    /// A server that had written that call itself would also hold it in the tokens of random
    /// weights, and would have to recompute it just as often.
    let held: [Transcript.Entry]
    /// The entries that it answered.
    let seen: [Transcript.Entry]

    init(_ stage: Stage, since count: Int, _ entries: [Transcript.Entry]) throws {
      let passed = try stage.timeline.baton(to: "specialist")
      firstWords = try stage.timeline.firstText(of: "specialist", after: passed) - passed
      let usage = stage.timeline.usage(of: "specialist")
      guard usage.count == 2 else { throw Timeline.Missing(what: "two requests") }
      whole = usage[1].tokensIn
      computed = usage[1].tokensIn - usage[1].tokensCached
      unseen = usage[1].tokensIn - usage[0].tokensIn
      // A prompt, its own call and the output; then the host's call and output; then the answer.
      held = Array(entries.prefix(count + 1))
      seen = Array(entries.dropLast())
    }
  }
}
