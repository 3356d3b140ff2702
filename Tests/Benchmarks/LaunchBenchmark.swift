import Foundation
import Supervision
import Synchronization
import Wire

/// From the launch of a worker to its greeting, against the launch of the smallest program to its end.
enum LaunchBenchmark {
  private static let runs = 40

  static func run() async throws -> Row {
    let pump = try Pump()
    var worker = Sample("worker")
    var smallest = Sample("/bin/true")
    for _ in 0..<runs {
      worker.add(try await greeting(of: Products.worker, pump: pump))
      smallest.add(try await end(of: "/bin/true", pump: pump))
    }
    return Row(name: "launch to greeting", measured: worker, against: smallest)
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
      case .error, .outputClosed: break
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
