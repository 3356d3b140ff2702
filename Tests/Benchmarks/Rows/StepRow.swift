import Foundation

/// The cost of a step outside the model: a request, a call of a tool that does nothing, and both
/// entries journaled on disk before anything follows from them.
enum StepRow {
  private static let steps = 100
  static let setting = Stage.Setting(isTraced: false)

  static func run(_ plan: Plan) async throws -> Outcome {
    var step = Sample("orchestrator, journal on disk")
    var peers: [Peer] = []
    try await Stage.set(setting, agents: [agent]) { stage in
      for run in 0...plan.runs(15) {
        let time = try await measure(steps, in: "steps \(run)", on: stage)
        let others = try measurePeers(plan)
        // What runs first runs slowly.
        guard run > 0 else { continue }
        step.add(time.steps, dividedBy: steps)
        if peers.isEmpty { peers = others.map(\.empty) }
        for (index, other) in others.enumerated() { peers[index].sample.add(other.sample.median) }
      }
    }
    let goal = Row(
      name: "a step outside the model",
      measured: step,
      against: Sample("the goal", [1]),
      goal: .atMost(1),
      expected: "0.9"
    )
    return Outcome(
      rows: [goal]
        + peers.map { peer in
          Row(
            name: "the same",
            measured: step,
            against: peer.sample,
            // Only the safest way can be asked for what this journal promises: that a step is on
            // disk before anything follows from it.
            goal: peer.isSafest ? .atMost(0.1) : .none,
            expected: peer.isSafest ? "0.1" : "0.3"
          )
        }
    )
  }

  /// Another framework, in one of its ways to save its steps or not.
  private struct Peer: Decodable {
    var sample: Sample
    /// Whether it is the framework's way in which the least is lost.
    let isSafest: Bool

    var empty: Peer { Peer(sample: Sample(sample.name), isSafest: isSafest) }
  }

  /// Returns how long a step takes in other frameworks, each measured once.
  private static func measurePeers(_ plan: Plan) throws -> [Peer] {
    let text = try Products.output(
      of: plan.fixtures.python,
      [Fixtures.tool("frameworks.py"), "\(steps)", "1"]
    )
    return try JSONDecoder().decode([Peer].self, from: Data(text.utf8))
  }

  /// Returns how long this many steps take in a conversation, and how long a turn without any
  /// takes.
  static func measure(
    _ steps: Int,
    in name: String,
    on stage: Stage
  ) async throws -> (steps: Duration, empty: Duration) {
    let conversation = try await stage.conversation(name, with: "stepper")
    try await stage.turn("0", in: conversation)
    let start = ContinuousClock.now
    try await stage.turn("0", in: conversation)
    let middle = ContinuousClock.now
    try await stage.turn("\(steps)", in: conversation)
    return (.now - middle, middle - start)
  }

  /// Calls a tool as often as told and then answers, at once, so that only the overhead is
  /// measured.
  static let agent = AgentSource(
    type: "Stepper",
    text: """
      import AgentKit
      import Synchronization

      struct Nothing: Tool {
        let name = "nothing"
        let description = "Does nothing."
        @Generable struct Arguments {}
        func call(arguments: Arguments) async throws -> String { "done" }
      }

      struct Counting: LanguageModel {
        var capabilities: LanguageModelCapabilities { .init([.toolCalling]) }
        var executorConfiguration: Executor.Configuration { .init() }

        struct Executor: LanguageModelExecutor {
          struct Configuration: Hashable, Sendable {}
          private static let left = Mutex(0)

          init(configuration: Configuration) throws {}

          nonisolated(nonsending) func respond(
            to request: LanguageModelExecutorGenerationRequest,
            model: Counting,
            streamingInto channel: LanguageModelExecutorGenerationChannel
          ) async throws {
            let left = Self.left.withLock { left in
              if case .prompt = request.transcript.last {
                left = request.transcript.last.flatMap { Int("\\($0)") } ?? 0
              } else {
                left -= 1
              }
              return left
            }
            guard left > 0 else {
              await channel.send(.response(action: .appendText("done", tokenCount: 1)))
              return
            }
            await channel.send(
              .toolCalls(
                action: .toolCall(
                  id: "call\\(left)",
                  name: "nothing",
                  action: .appendArguments("{}", tokenCount: 1)
                )
              )
            )
          }
        }
      }

      struct Stepper: Agent {
        let name = "stepper"
        let description = "steps"

        var body: some DynamicProfile {
          Profile { Nothing() }.model(Counting())
        }
      }
      """
  )
}
