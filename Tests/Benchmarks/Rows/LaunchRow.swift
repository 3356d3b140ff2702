import Foundation
import Supervision

/// From the launch of a worker to its greeting, against the goal and the smallest program, and
/// until its agent is loaded.
enum LaunchRow {
  private static let name = "launch of a worker without a model, to its greeting"

  static func run(_ plan: Plan) async throws -> Outcome {
    var forked = Samples("forked from the program's template")
    var alone = Samples("started from nothing")
    var bare = Sample("started from nothing")
    var smallest = Sample("/bin/true, to its end")
    let eventLoop = try ChildEventLoop()
    var withoutFork = StepRow.setting
    withoutFork.hasTemplates = false
    try await Stage.set(StepRow.setting, agents: [StepRow.agent]) { warm in
      try await warm.prepare("stepper")
      try await Stage.set(withoutFork, agents: [StepRow.agent]) { cold in
        for _ in 0..<plan.runs(60) {
          forked.add(try await warm.launch("stepper"))
          alone.add(try await cold.launch("stepper"))
          bare.add(try await greeting(of: Products.worker, eventLoop: eventLoop))
          smallest.add(try await end(of: "/bin/true", eventLoop: eventLoop))
        }
      }
    }
    let goal = Sample("the goal", [5])
    return Outcome(rows: [
      Row(
        name: name,
        measured: forked.greeting,
        against: goal,
        goal: .atMost(1),
        expected: "0.4"
      ),
      Row(
        name: "the same, where there is no fork",
        measured: bare,
        against: goal,
        goal: .atMost(1),
        expected: "1.2"
      ),
      Row(
        name: "the same",
        measured: bare,
        against: smallest,
        goal: .none,
        expected: "5"
      ),
      Row(
        name: "launch of a worker without a model, until its agent is loaded",
        measured: forked.ready,
        against: alone.ready,
        goal: .none,
        expected: "0.5"
      ),
    ])
  }

  /// How long launches of one kind took.
  private struct Samples {
    var greeting: Sample
    var ready: Sample

    init(_ name: String) {
      greeting = Sample(name)
      ready = Sample(name)
    }

    mutating func add(_ launch: (greeting: Duration, ready: Duration)) {
      greeting.add(launch.greeting)
      ready.add(launch.ready)
    }
  }

  private static func greeting(of program: String, eventLoop: ChildEventLoop) async throws
    -> Duration
  {
    let (events, continuation) = AsyncStream<ChildEvent>.makeStream()
    let start = ContinuousClock.now
    let pid = try await eventLoop.launch(launch(program, ["--run", "benchmark"])) { event in
      continuation.yield(event)
      return .goOn
    }
    var duration: Duration?
    for await event in events {
      switch event {
      case .output:
        // The preamble and the greeting are far smaller than one read.
        if duration == nil { duration = .now - start }
        eventLoop.closeInput(of: pid)
      case .error, .outputClosed: break
      case .exited: continuation.finish()
      }
    }
    return duration ?? .zero
  }

  private static func end(of program: String, eventLoop: ChildEventLoop) async throws -> Duration {
    let (events, continuation) = AsyncStream<ChildEvent>.makeStream()
    let start = ContinuousClock.now
    _ = try await eventLoop.launch(launch(program, [])) { event in
      continuation.yield(event)
      return .goOn
    }
    for await event in events {
      if case .exited = event { break }
    }
    return .now - start
  }

  private static func launch(_ program: String, _ arguments: [String]) -> Launch {
    Launch(
      executable: program,
      arguments: arguments,
      environment: WorkerEnvironment.variables(of: ProcessInfo.processInfo.environment)
    )
  }
}
