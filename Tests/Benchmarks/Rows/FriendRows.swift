import Foundation
import Wire

/// From the call that is in the journal to a friend's first words at the coordinator.
///
/// The friend has 1,000 tokens of instructions, and is asked a question of 20 words, which are 20
/// tokens; the chat template puts 8 around them.
enum FriendRows {
  static let instructions = Words.text(tokens: 995)
  private static let agents: [AgentSource] = [
    .caller(of: "friend"), .answering("Friend", instructions: instructions, tokens: 4),
  ]

  static func run(_ plan: Plan) async throws -> Outcome {
    var friend = Sample("friend")
    var server = Sample("llama-server, warm slot")
    var remark = ""
    let setting = Stage.Setting(model: plan.fixtures.model)
    try await Stage.set(setting, agents: agents) { stage in
      try await stage.prepare("friend", "caller")
      try await LlamaServer.run(plan.fixtures) { peer in
        for run in 0...plan.runs(15) {
          let question = Words.text(tokens: 20, seed: UInt64(run + 1))
          let answer = try await ask(question, on: stage)
          let chat = Chat(instructions: instructions, question: question)
          let reply = try await peer.answer(chat, tokens: 4)
          try await peer.settle()
          // The first fills the slot.
          if run == 0 { continue }
          friend.add(answer.firstWords)
          server.add(reply.firstWords)
          remark = "\(answer.computed) tokens computed, \(reply.computed) by the server"
        }
      }
    }
    return Outcome(rows: [
      Row(
        name: "a friend, call journaled to first words",
        measured: friend,
        against: server,
        goal: .atMost(1),
        expected: "1.0",
        remark: remark
      )
    ])
  }

  static func runCold(_ plan: Plan) async throws -> Outcome {
    var warm = Sample("forked friend")
    var cold = Sample("friend started from nothing")
    var restored = Sample("friend started from nothing, its prefix restored from disk")
    let forking = Stage.Setting(model: plan.fixtures.model)
    var starting = forking
    starting.hasTemplates = false
    var computing = starting
    computing.keepsPrefixes = false
    try await Stage.set(forking, agents: agents) { forking in
      try await forking.prepare("friend", "caller")
      try await Stage.set(starting, agents: agents) { starting in
        try await Stage.set(computing, agents: agents) { computing in
          for run in 0...plan.runs(5) {
            let question = Words.text(tokens: 20, seed: UInt64(run + 1))
            let times = [
              try await ask(question, on: forking).firstWords,
              try await ask(question, on: starting).firstWords,
              try await ask(question, on: computing).firstWords,
            ]
            // The first leaves its prefix behind, and fills the page cache.
            if run == 0 { continue }
            warm.add(times[0])
            restored.add(times[1])
            cold.add(times[2])
          }
        }
      }
    }
    return Outcome(rows: [
      Row(
        name: "the same",
        measured: warm,
        against: cold,
        goal: .atMost(1 / 25),
        expected: "0.038"
      ),
      Row(
        name: "the same, where there is no fork",
        measured: restored,
        against: cold,
        goal: .none,
        expected: "0.1"
      ),
    ])
  }

  static func runAlone(_ plan: Plan) async throws -> Outcome {
    var friend = Sample("friend, a question of one token")
    var computed = 0
    let setting = Stage.Setting(model: plan.fixtures.model)
    let bench = LlamaBench(fixtures: plan.fixtures)
    var alone = Sample("the same tokens in llama-bench")
    try await Stage.set(setting, agents: agents) { stage in
      try await stage.prepare("friend", "caller")
      for run in 0...plan.runs(15) {
        let answer = try await ask(Words.text(tokens: 1, seed: UInt64(run + 1)), on: stage)
        computed = answer.computed
        if run > 0 { friend.add(answer.firstWords) }
      }
      for value in try bench.prompt(of: computed, after: 1000, runs: plan.runs(15)) {
        alone.add(value)
      }
    }
    return Outcome(rows: [
      Row(
        name: "the same with a question of one token",
        measured: friend,
        against: alone,
        goal: .atMost(1.3),
        expected: "1.15",
        remark: "with the template around it \(computed) tokens"
      )
    ])
  }

  private static func ask(
    _ question: String,
    on stage: Stage
  ) async throws -> (firstWords: Duration, computed: Int) {
    let conversation = try await stage.conversation("friends", with: "caller")
    stage.timeline.clear()
    try await stage.turn(question, in: conversation)
    let timeline = stage.timeline
    let figures = timeline.figures(of: "friend").last
    return (
      try timeline.firstText(of: "friend") - timeline.call(by: "caller"),
      (figures?.tokensIn ?? 0) - (figures?.tokensCached ?? 0)
    )
  }
}
