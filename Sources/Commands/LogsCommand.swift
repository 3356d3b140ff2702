import ArgumentParser
import Foundation
import Journal

struct LogsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logs",
    abstract: "Shows the log of a worker that is running or has ended.",
    discussion: "Without a worker, lists all of them, the latest last."
  )

  @Argument(help: "The pid, agent name or run id of a worker.")
  var worker: String?

  @Flag(name: .shortAndLong, help: "Keep reading while the worker runs.")
  var follow = false

  @Flag(help: "Write JSON.")
  var json = false

  func validate() throws {
    if follow, worker == nil {
      throw ValidationError("--follow shows one log. Name a worker, or omit --follow for a list.")
    }
    if follow, json {
      throw ValidationError("--follow writes text and cannot be combined with --json.")
    }
  }

  func run() async throws {
    try await reporting {
      let reader = try JournalReader.ofThisHome()
      guard let worker else {
        try await list(reader)
        return
      }
      guard let run = try await reader.run(named: worker) else {
        throw CommandError.noSuchRun(worker)
      }
      try await show(run, reader)
    }
  }

  private func list(_ reader: JournalReader) async throws {
    let runs = try await reader.runs()
    if json {
      Terminal.show(json: try JSONOutput.document(runs.map(RunSummary.init)))
      return
    }
    var table = TextTable(["RUN", "PID", "AGENT", "ROLE", "STARTED", "IN", "OUT", "END"])
    for run in runs {
      table.add([
        run.id, "\(run.pid)", run.agent, run.role.rawValue,
        run.started.ISO8601Format(), "\(run.tokensIn)", "\(run.tokensOut)",
        run.outcome ?? (RunSummary(run).isAlive ? "lives" : "unknown"),
      ])
    }
    Terminal.show(table.text)
  }

  private func show(_ run: RunRecord, _ reader: JournalReader) async throws {
    // Not the path in the journal, which is for people: it may come from somebody's file.
    let path = try Folders(environment: ProcessInfo.processInfo.environment).log(of: run.id)
    if !FileManager.default.fileExists(atPath: path) {
      Terminal().note(
        run.log.isEmpty
          ? "The log of \(run.id) did not come along when its session was imported."
          : "The log of \(run.id) is no longer kept: \(path)."
      )
    }
    var log = LogReading(path: path)
    if json {
      let lines = log.next(isLast: true).lines.map(String.init)
      Terminal.show(json: try JSONOutput.document(RunLog(run: RunSummary(run), lines: lines)))
      return
    }
    var isOver = !follow
    Terminal.show(text: log.next(isLast: isOver))
    while !isOver {
      // Checked first, so that the last words of a worker that ends are read.
      isOver = !RunSummary(try await reader.run(run.id) ?? run).isAlive
      if !isOver { try await Task.sleep(for: .milliseconds(200)) }
      Terminal.show(text: log.next(isLast: isOver))
    }
  }

  private struct RunLog: Encodable {
    let run: RunSummary
    let lines: [String]
  }
}

/// One run of a worker, for people and programs.
struct RunSummary: Encodable {
  let run: String
  let pid: Int32
  let agent: String
  let role: String
  let started: Date
  let ended: Date?
  let outcome: String?
  /// The kind of death; `nil` when it ended normally.
  let cause: String?
  let tokensIn: Int
  let tokensCached: Int
  let tokensOut: Int
  let log: String

  init(_ record: RunRecord) {
    run = record.id
    pid = record.pid
    agent = record.agent
    role = record.role.rawValue
    started = record.started
    ended = record.ended
    outcome = record.outcome
    cause = record.cause
    tokensIn = record.tokensIn
    tokensCached = record.tokensCached
    tokensOut = record.tokensOut
    log = record.log
  }

  /// Whether the worker lives; a pid can be reused, so the journal comes first.
  var isAlive: Bool {
    ended == nil && kill(pid, 0) == 0
  }
}
