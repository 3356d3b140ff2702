import AgentKit
import Foundation
import Synchronization
import Wire

/// The memory that processes occupy.
enum MemoryRows {
  /// The bytes that one token takes in the stand-in's context: keys and values of two heads of 64
  /// in 24 layers, in half precision.
  private static let bytesPerToken = 24 * 2 * 2 * 64 * 2

  static func runTeam(_ plan: Plan) async throws -> Outcome {
    let names = ["North", "East", "South", "West"]
    let agents = names.enumerated().map { index, name in
      AgentSource.answering(
        name,
        instructions: Words.text(tokens: 300, seed: UInt64(index + 1)),
        tokens: 16
      )
    }
    func occupied(templates: Bool) async throws -> Double {
      var setting = Stage.Setting(model: plan.fixtures.model)
      setting.hasTemplates = templates
      var megabytes = Double.nan
      try await Stage.set(setting, agents: agents) { stage in
        if templates {
          for name in names { try await stage.prepare(name.lowercased()) }
        }
        for name in names {
          let conversation = try await stage.conversation(name, with: name.lowercased())
          try await stage.turn(Words.text(tokens: 20), in: conversation)
        }
        megabytes = Memory.proportional(of: await stage.processes() + [getpid()])
      }
      return megabytes
    }
    var forked = Sample("templates, workers and coordinator", unit: "MB")
    var spawned = Sample("four spawned workers and coordinator", unit: "MB")
    for _ in 0..<plan.runs(3) {
      forked.add(try await occupied(templates: true))
      spawned.add(try await occupied(templates: false))
    }
    return Outcome(rows: [
      Row(
        name: "four agents on one model, proportional set size of the whole tree",
        measured: forked,
        against: spawned,
        goal: .atMost(0.5),
        expected: "0.5"
      )
    ])
  }

  static func runFriends(_ plan: Plan) async throws -> Outcome {
    let agents: [AgentSource] = [
      .caller(of: "friend"),
      .answering("Friend", instructions: FriendRows.instructions, tokens: 32),
    ]
    var rest = Sample("own memory without what it wrote of keys and values", unit: "MB")
    var whole = Sample("own memory", unit: "MB")
    let setting = Stage.Setting(model: plan.fixtures.model)
    try await Stage.set(setting, agents: agents) { stage in
      try await stage.prepare("friend", "caller")
      let own = Mutex<[Double]>([])
      stage.timeline.atEntry { agent, pid in
        guard agent == "friend" else { return }
        let megabytes = Memory.own(of: pid)
        own.withLock { $0.append(megabytes) }
      }
      let conversation = try await stage.conversation("friends", with: "caller")
      for _ in 0..<plan.runs(3) {
        stage.timeline.clear()
        own.withLock { $0 = [] }
        let questions = (1...8).map { Words.text(tokens: 20, seed: UInt64($0)) }
        try await stage.turn(questions.joined(separator: "\n"), in: conversation)
        let usages = stage.timeline.usage(of: "friend")
        for (megabytes, usage) in zip(own.withLock { $0 }, usages) {
          let tokens = usage.tokensIn - usage.tokensCached + usage.tokensOut
          rest.add(megabytes - Double(tokens * bytesPerToken) / 1e6)
          whole.add(megabytes)
        }
      }
    }
    return Outcome(rows: [
      Row(
        name: "one more friend of eight",
        measured: rest,
        against: Sample("the goal", unit: "MB", [5]),
        goal: .atMost(1),
        expected: "0.9",
        remark: "\(whole) with them"
      )
    ])
  }
}
