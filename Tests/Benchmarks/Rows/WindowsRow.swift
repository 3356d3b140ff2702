import Foundation

/// What those who look cost a step: a page of the inspector with a receiver of telemetry, and 20
/// pages, on the product as people run it.
enum WindowsRow {
  private static let steps = 100

  static func run(_ plan: Plan) async throws -> Outcome {
    let folder = try Products.temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let agent = StepRow.agent
    try agent.text.write(
      toFile: "\(folder)/\(agent.type).swift",
      atomically: true,
      encoding: .utf8
    )
    let text = try Products.output(
      of: plan.fixtures.python,
      [
        Fixtures.tool("windows.py"), Products.orchestrator, folder, Products.ownModel, "\(steps)",
        "\(plan.runs(9))",
      ]
    )
    let samples = try JSONDecoder().decode(Samples.self, from: Data(text.utf8))
    let bare = Sample("with nothing attached", samples.bare)
    return Outcome(rows: [
      Row(
        name: "a step, looked at",
        measured: Sample("with a page and a receiver", samples.page),
        against: bare,
        goal: .atMost(1.05),
        expected: "1.03"
      ),
      Row(
        name: "a step, looked at by many",
        measured: Sample("with 20 pages", samples.pages),
        against: bare,
        goal: .atMost(1.2),
        expected: "1.15",
        remark: "pages share the cores of this machine"
      ),
    ])
  }

  private struct Samples: Decodable {
    let bare: [Double]
    let page: [Double]
    let pages: [Double]
  }
}
