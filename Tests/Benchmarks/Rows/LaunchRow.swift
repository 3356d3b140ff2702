import Foundation
import Supervision

/// From the launch of a worker to its greeting, against the goal and the smallest program.
enum LaunchRow {
  static func run(_ plan: Plan) async throws -> Outcome {
    let pump = try Pump()
    var worker = Sample("worker")
    var smallest = Sample("/bin/true, to its end")
    for _ in 0..<plan.runs(60) {
      worker.add(try await greeting(of: Products.worker, pump: pump))
      smallest.add(try await end(of: "/bin/true", pump: pump))
    }
    return Outcome(rows: [
      Row(
        name: "launch of a worker without a model, to its greeting",
        measured: worker,
        against: Sample("the goal", [5]),
        goal: .atMost(1),
        expected: "0.7"
      ),
      Row(
        name: "the same",
        measured: worker,
        against: smallest,
        goal: .none,
        expected: "5"
      ),
    ])
  }

  private static func greeting(of program: String, pump: Pump) async throws -> Duration {
    let (events, continuation) = AsyncStream<ChildEvent>.makeStream()
    let start = ContinuousClock.now
    let pid = try await pump.launch(launch(program, ["--run", "benchmark"])) { event in
      continuation.yield(event)
      return .goOn
    }
    var duration: Duration?
    for await event in events {
      switch event {
      case .output:
        // The preamble and the greeting are far smaller than one read.
        if duration == nil { duration = .now - start }
        pump.closeInput(of: pid)
      case .error, .outputClosed, .peakMemory: break
      case .exited: continuation.finish()
      }
    }
    return duration ?? .zero
  }

  private static func end(of program: String, pump: Pump) async throws -> Duration {
    let (events, continuation) = AsyncStream<ChildEvent>.makeStream()
    let start = ContinuousClock.now
    _ = try await pump.launch(launch(program, [])) { event in
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
