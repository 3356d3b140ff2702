import AgentKit
import Wire

/// Tokens per second while a worker answers, against llama-bench, which neither samples nor shows
/// text.
enum DecodeRow {
  private static let tokens = 128

  static func run(_ plan: Plan) async throws -> Outcome {
    let setting = Stage.Setting(model: plan.fixtures.model)
    let instructions = Words.text(tokens: 20)
    let agents: [AgentSource] = [
      .answering("Greedy", instructions: instructions, tokens: tokens),
      .answering("Free", instructions: instructions, tokens: tokens, sampling: ".temperature(0.8)"),
    ]
    var greedy = Sample("a worker, the likeliest token", unit: "tokens/s")
    var free = Sample("a worker, sampling as by default", unit: "tokens/s")
    var bench = Sample("llama-bench", unit: "tokens/s")
    try await Stage.set(setting, agents: agents) { stage in
      try await stage.prepare("greedy", "free")
      for run in 0..<plan.runs(7) {
        greedy.add(try await speed(of: "greedy", on: stage, run))
        free.add(try await speed(of: "free", on: stage, run))
        // After as many tokens as the worker's prompt has.
        let depth = stage.timeline.usage(of: "greedy").last?.tokensIn ?? 0
        let runs = try LlamaBench(fixtures: plan.fixtures)
          .generation(of: tokens, after: depth, runs: 1)
        for value in runs { bench.add(value) }
      }
    }
    return Outcome(rows: [
      Row(
        name: "decoding in a worker",
        measured: greedy,
        against: bench,
        goal: .atLeast(0.98),
        expected: "0.98"
      ),
      Row(
        name: "the same",
        measured: free,
        against: bench,
        goal: .none,
        expected: "0.93",
        remark: "choosing among 151,936 tokens, which llama-bench does not"
      ),
    ])
  }

  private static func speed(of agent: String, on stage: Stage, _ run: Int) async throws -> Double {
    let conversation = try await stage.conversation("\(agent) \(run)", with: agent)
    try await stage.turn(Words.text(tokens: 10, seed: UInt64(run)), in: conversation)
    guard let usage = stage.timeline.usage(of: agent).last else { return .nan }
    await stage.leaveConversations()
    return Double(usage.tokensOut - 1) / (usage.seconds - usage.secondsToFirstToken)
  }
}
