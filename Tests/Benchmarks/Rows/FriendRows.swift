import AgentKit
import Foundation
import Wire

/// From the journaled call to a friend's first words at the coordinator.
///
/// The friend has 1,000 tokens of instructions and is asked a question of 20 words, which are 20
/// tokens; the chat template adds 8 around them.
enum FriendRows {
  static let instructions = Words.text(tokens: 995)
  private static let agents: [AgentSource] = [
    .caller(of: "friend"), .answering("Friend", instructions: instructions, tokens: 4),
  ]

  static func run(_ plan: Plan) async throws -> Outcome {
    var spare = Sample("friend, a spare stood by")
    var fork = Sample("friend, forked when it was phoned")
    var server = Sample("llama-server, warm slot")
    var remark = ""
    try await withStages(plan) { standing, forking in
      try await LlamaServer.run(plan.fixtures) { peer in
        for run in 0...plan.runs(15) {
          let question = Words.text(tokens: 20, seed: UInt64(run + 1))
          try await standing.standBy("friend")
          let answer = try await ask(question, on: standing)
          let forked = try await ask(question, on: forking)
          let chat = Chat(instructions: instructions, question: question)
          let reply = try await peer.answer(chat, tokens: 4)
          try await peer.settle()
          // The first run fills the slot.
          if run == 0 { continue }
          spare.add(answer.firstWords)
          fork.add(forked.firstWords)
          server.add(reply.firstWords)
          remark = "\(answer.computed) tokens computed, \(reply.computed) by the server"
        }
      }
    }
    return Outcome(rows: [
      Row(
        name: "a friend, call journaled to first words",
        measured: spare,
        against: server,
        goal: .atMost(1),
        expected: "0.9",
        remark: remark
      ),
      Row(
        name: "the same, when no spare stands by",
        measured: fork,
        against: server,
        goal: .none,
        expected: "1.3"
      ),
    ])
  }

  /// Sets two stages with friends: on one a spare stands by when waited for, on the other never.
  private static func withStages(
    _ plan: Plan,
    _ body: (_ standing: Stage, _ forking: Stage) async throws -> Void
  ) async throws {
    let setting = Stage.Setting(model: plan.fixtures.model)
    try await Stage.set(setting, agents: agents) { standing in
      try await standing.prepare("friend", "caller")
      try await Stage.set(setting, agents: agents) { forking in
        try await forking.prepare("friend", "caller")
        try await body(standing, forking)
      }
    }
  }

  static func runCold(_ plan: Plan) async throws -> Outcome {
    var warm = Sample("friend, a spare stood by")
    var cold = Sample("friend started from nothing")
    var restored = Sample("friend started from nothing, its prefix restored from disk")
    let standing = Stage.Setting(model: plan.fixtures.model)
    var starting = standing
    starting.hasTemplates = false
    var computing = starting
    computing.keepsPrefixes = false
    try await Stage.set(standing, agents: agents) { standing in
      try await standing.prepare("friend", "caller")
      try await Stage.set(starting, agents: agents) { starting in
        try await Stage.set(computing, agents: agents) { computing in
          for run in 0...plan.runs(5) {
            let question = Words.text(tokens: 20, seed: UInt64(run + 1))
            try await standing.standBy("friend")
            let times = [
              try await ask(question, on: standing).firstWords,
              try await ask(question, on: starting).firstWords,
              try await ask(question, on: computing).firstWords,
            ]
            // The first run leaves its prefix behind and fills the page cache.
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
    var spare = Sample("friend, a question of one token, a spare stood by")
    var fork = Sample("friend, a question of one token, forked when it was phoned")
    var alone = Sample("the same tokens in llama-bench")
    var computed = 0
    let bench = LlamaBench(fixtures: plan.fixtures)
    // Not for each question, because llama-bench recomputes the 1,000 tokens.
    let repetitions = 3
    try await withStages(plan) { standing, forking in
      for run in 0...plan.runs(5) {
        for repetition in 0..<repetitions {
          let seed = UInt64(run * repetitions + repetition + 1)
          let question = Words.text(tokens: 1, seed: seed)
          try await standing.standBy("friend")
          let answer = try await ask(question, on: standing)
          let forked = try await ask(question, on: forking)
          computed = answer.computed
          if run == 0 { continue }
          spare.add(answer.firstWords)
          fork.add(forked.firstWords)
        }
        if run == 0 { continue }
        for value in try bench.prompt(of: computed, after: 1000, runs: repetitions) {
          alone.add(value)
        }
      }
    }
    return Outcome(rows: [
      Row(
        name: "the same with a question of one token",
        measured: spare,
        against: alone,
        goal: .atMost(1.3),
        expected: "1.15",
        remark: "with the template around it \(computed) tokens"
      ),
      Row(
        name: "the same, when no spare stands by",
        measured: fork,
        against: alone,
        goal: .none,
        expected: "1.9"
      ),
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
    let usage = timeline.usage(of: "friend").last
    return (
      try timeline.firstText(of: "friend") - timeline.call(by: "caller"),
      (usage?.tokensIn ?? 0) - (usage?.tokensCached ?? 0)
    )
  }
}
