import AgentKit
import Foundation
import Wire

/// The cost of a specialist's answer to 20 tokens, as the history shared by the host and the
/// person grows: by passing the baton, by passing it again, and by phoning a friend.
enum CostTable {
  private static let agents: [AgentSource] = [
    .host(of: "specialist"),
    .specialist(instructions: Words.text(tokens: 50), tokens: 48),
  ]
  private static let ways = ["baton", "baton again", "friend"]

  static func run(_ plan: Plan) async throws -> Outcome {
    let columns = ["tokens computed", "first words, ms", "own memory, MB", "wall time, ms"]
    var table = Finding.Table(
      title: "What an answer costs, as the shared history grows (medians).",
      head: ["history, tokens"] + ways.flatMap { way in columns.map { "\(way): \($0)" } },
      lines: []
    )
    let setting = Stage.Setting(model: plan.fixtures.model, contextSize: 12288)
    try await Stage.set(setting, agents: agents) { stage in
      try await stage.prepare("specialist", "host")
      let scene = Scene(stage)
      for length in plan.history {
        // What takes a minute varies less than what takes a second.
        let runs = plan.runs(length > 1000 ? 1 : 3)
        var costs: [[Cost]] = []
        for run in 0..<runs {
          let name = "\(length) \(run)"
          try await stage.plant(History(tokens: length), in: "baton \(name)", with: "host")
          try await stage.plant(History(tokens: length), in: "friend \(name)", with: "host")
          costs.append([
            try await scene.cost(of: Words.text(tokens: 20, seed: 1), in: "baton \(name)"),
            try await scene.cost(of: Words.text(tokens: 20, seed: 2), in: "baton \(name)"),
            try await scene.cost(of: "phone " + Words.text(tokens: 20), in: "friend \(name)"),
          ])
          await stage.leaveConversations()
        }
        let medians = ways.indices.flatMap { way in
          Cost.columns.map { column in
            Sample("", costs.map { $0[way][keyPath: column] }).median
          }
        }
        table.lines.append([Double(length)] + medians)
      }
    }
    return Outcome(table: table)
  }

  /// The cost of one answer.
  private struct Cost {
    let computed: Double
    let firstWords: Double
    let memory: Double
    let wall: Double

    static var columns: [KeyPath<Cost, Double>] {
      [\.computed, \.firstWords, \.memory, \.wall]
    }
  }

  private struct Scene: Sendable {
    private let stage: Stage
    private let memory = Memory.Highest()

    init(_ stage: Stage) {
      self.stage = stage
      stage.timeline.atEntry { [memory] agent, pid in
        if agent == "specialist" { memory.note(pid) }
      }
    }

    func cost(of prompt: String, in name: String) async throws -> Cost {
      let conversation = try await stage.conversation(name, with: "host")
      let timeline = stage.timeline
      timeline.clear()
      memory.clear()
      try await stage.turn(prompt, in: conversation)
      let start = try (try? timeline.baton(to: "specialist")) ?? timeline.call(by: "host")
      let first = try timeline.firstText(of: "specialist", after: start)
      let end = try timeline.lastEntry(of: "specialist")
      guard let usage = timeline.usage(of: "specialist").last else {
        throw Timeline.Missing(what: "usage of the specialist")
      }
      return Cost(
        computed: Double(usage.tokensIn - usage.tokensCached),
        firstWords: (first - start).milliseconds,
        memory: memory.megabytes,
        wall: (end - start).milliseconds
      )
    }
  }
}
