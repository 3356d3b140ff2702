import Foundation
package import Wire

/// All workers that live now: starts them, watches them, ends them.
package actor Roster {
  package struct Patience: Sendable {
    /// How long a worker may take to load its plugin and its model.
    package var load: Duration
    /// How long a worker may be silent while it is asked every few seconds whether it is there.
    package var silence: Duration
    /// How often it is asked.
    package var heartbeat: Duration

    package init(
      load: Duration = .seconds(120),
      silence: Duration = .seconds(20),
      heartbeat: Duration = .seconds(2)
    ) {
      self.load = load
      self.silence = silence
      self.heartbeat = heartbeat
    }
  }

  private struct Entry {
    let worker: Worker
    let line: WorkerLine
    let launched: ContinuousClock.Instant
  }

  private let pump: Pump
  private let executable: String
  private let patience: Patience
  private var entries: [RunID: Entry] = [:]
  private var isClosed = false
  private var heartbeats = 0

  package init(executable: String, patience: Patience = Patience()) throws {
    self.executable = executable
    self.patience = patience
    pump = try Pump()
  }

  /// Starts a worker and says hello to it.
  package func launch(_ hello: Hello, log: String) async throws -> Worker {
    guard !isClosed else { throw LaunchError.system(call: "launching a worker", code: ESHUTDOWN) }
    let (events, continuation) = AsyncStream<WorkerEvent>.makeStream()
    let line = WorkerLine(log: WorkerLog(path: log), continuation: continuation)
    let launch = Launch(
      executable: executable,
      arguments: ["--run", hello.run.description],
      environment: WorkerEnvironment.variables(of: ProcessInfo.processInfo.environment)
    )
    let pid = try await pump.launch(launch) { line.take($0) }
    let worker = Worker(run: hello.run, pid: pid, pump: pump, line: line, events: events)
    // The actor was left during the launch: it may have been closed meanwhile.
    guard !isClosed else {
      await worker.end(by: .kill)
      throw LaunchError.system(call: "launching a worker", code: ESHUTDOWN)
    }
    entries[hello.run] = Entry(worker: worker, line: line, launched: .now)
    try worker.send(.hello(hello))
    return worker
  }

  /// Asks every worker again and again whether it is there, until the task is cancelled, and kills
  /// those that do not answer.
  package func watch() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: patience.heartbeat)
      heartbeats += 1
      for (run, entry) in entries {
        if entry.worker.hasEnded {
          entries[run] = nil
        } else if entry.line.isLoading {
          if .now - entry.launched > patience.load {
            entry.worker.condemn(.notReady(seconds: Int(patience.load.components.seconds)))
          }
        } else if entry.worker.silence > patience.silence {
          entry.worker.condemn(.hung(seconds: Int(patience.silence.components.seconds)))
        } else {
          try? entry.worker.send(.ping(heartbeats))
        }
      }
    }
  }

  /// Ends all workers, and starts no more.
  package func close() async {
    isClosed = true
    let workers = entries.values.map(\.worker)
    entries = [:]
    await withTaskGroup(of: Void.self) { group in
      for worker in workers { group.addTask { await worker.end(by: .leave) } }
    }
  }
}
