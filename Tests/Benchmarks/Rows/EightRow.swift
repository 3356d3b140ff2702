import AgentKit
import Wire

/// Eight friends at once, against a server that decodes eight sequences together: from the call, or
/// the requests, to the end of the last answer.
enum EightRow {
  private static let tokens = 64

  static func run(_ plan: Plan) async throws -> Outcome {
    var friends = Sample("eight friends", unit: "tokens/s")
    var batched = Sample("llama-server, eight slots", unit: "tokens/s")
    let agents: [AgentSource] = [
      .caller(of: "friend"),
      .answering("Friend", instructions: FriendRows.instructions, tokens: tokens),
    ]
    let setting = Stage.Setting(model: plan.fixtures.model)
    let server = LlamaServer.Setting(contextSize: 8 * 1536, slots: 8)
    try await Stage.set(setting, agents: agents) { stage in
      try await stage.prepare("friend", "caller")
      let conversation = try await stage.conversation("friends", with: "caller")
      try await LlamaServer.run(plan.fixtures, server) { peer in
        for run in 0...plan.runs(3) {
          let questions = (1...8).map { Words.text(tokens: 20, seed: UInt64(run * 8 + $0)) }
          let speed = try await speed(of: peer, questions)
          // The first run fills the slots.
          if run == 0 { continue }
          batched.add(speed)
          stage.timeline.clear()
          try await stage.turn(questions.joined(separator: "\n"), in: conversation)
          let start = try stage.timeline.call(by: "caller")
          let end = try stage.timeline.lastEntry(of: "friend")
          let count = stage.timeline.usage(of: "friend").reduce(0) { $0 + $1.tokensOut }
          friends.add(Double(count) * 1000 / (end - start).milliseconds)
        }
      }
    }
    return Outcome(rows: [
      Row(
        name: "eight friends at once, all their tokens",
        measured: friends,
        against: batched,
        goal: .none,
        expected: "0.9"
      )
    ])
  }

  private static func speed(of peer: LlamaServer, _ questions: [String]) async throws -> Double {
    let start = ContinuousClock.now
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for question in questions {
        let chat = Chat(instructions: FriendRows.instructions, question: question)
        group.addTask { try await peer.answer(chat, tokens: tokens).generated }
      }
      return try await group.reduce(0, +)
    }
    return Double(count) * 1000 / (ContinuousClock.now - start).milliseconds
  }
}
