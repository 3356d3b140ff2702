/// The cost of a step and of a turn in a conversation of 10,000 entries, against one of 10.
enum AppendRow {
  private static let steps = 50

  static func run(_ plan: Plan) async throws -> Outcome {
    var step = (long: Sample("of 10,000 entries"), short: Sample("of 10"))
    var turn = (long: Sample("of 10,000 entries"), short: Sample("of 10"))
    try await Stage.set(StepRow.setting, agents: [StepRow.agent]) { stage in
      try await stage.plant(History(entries: 10_000), in: "long", with: "stepper")
      try await stage.plant(History(entries: 10), in: "short", with: "stepper")
      for run in 0...plan.runs(9) {
        let long = try await StepRow.measure(steps, in: "long", on: stage)
        let short = try await StepRow.measure(steps, in: "short", on: stage)
        // The first of each starts the worker and sends it the history.
        if run == 0 { continue }
        // The cost of a turn without steps belongs to the other row.
        step.long.add(long.steps - long.empty, dividedBy: steps)
        step.short.add(short.steps - short.empty, dividedBy: steps)
        turn.long.add(long.empty)
        turn.short.add(short.empty)
      }
    }
    return Outcome(rows: [
      Row(
        name: "a step, appending to a transcript",
        measured: step.long,
        against: step.short,
        goal: .atMost(1.2),
        expected: "1.1"
      ),
      Row(
        name: "a turn without steps, appending to a transcript",
        measured: turn.long,
        against: turn.short,
        goal: .atMost(1.5),
        expected: "1.2"
      ),
    ])
  }
}
