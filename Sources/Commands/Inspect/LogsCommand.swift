import ArgumentParser
import Coordinator
import Doors
import Foundation
import Terminal
import Transcripts
import Wire

struct LogsCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "logs",
    abstract: "Shows the log of a process that is running or has ended.",
    discussion: "Without a process, lists all workers, the latest last."
  )

  @Argument(
    help: "The pid, agent name or run id of a worker, or 'coordinator'.",
    completion: Names.processes
  )
  var process: String?

  @Flag(name: .shortAndLong, help: "Keep reading while the process runs.")
  var follow = false

  @Flag(
    help: ArgumentHelp(
      "Show the prompt of the latest request instead, as the model was given it.",
      discussion: "The process must live. On a terminal, what the model had cached is dim."
    )
  )
  var prompt = false

  @Flag(help: "Write JSON.")
  var json = false

  func validate() throws {
    if prompt, process == nil || follow {
      throw ValidationError(
        "--prompt shows one prompt. Name the run of a process, and omit --follow."
      )
    }
    if follow, process == nil {
      throw ValidationError("--follow shows one log. Name a process, or omit --follow for a list.")
    }
    if follow, json {
      throw ValidationError("--follow writes text and cannot be combined with --json.")
    }
  }

  func perform() async throws {
    let service = try await CommandEnvironment.readingService()
    guard let process else { return try list(try await service.runs()) }
    if prompt { return try show(try await Self.prompt(of: process, service)) }
    try await show(try await service.log(of: process, following: follow))
  }

  private func list(_ runs: [RunSummary]) throws {
    if json { return Terminal.show(json: try JSONOutput.document(runs)) }
    var table = TextTable(["RUN", "PID", "HOST", "AGENT", "ROLE", "STARTED", "IN", "OUT", "END"])
    for run in runs {
      table.add([
        run.run, "\(run.pid)", run.host ?? "", run.agent, run.role, run.started.ISO8601Format(),
        "\(run.tokensIn)", "\(run.tokensOut)",
        run.outcome ?? (run.isAlive ? "lives" : "unknown"),
      ])
    }
    Terminal.show(table.text)
  }

  /// Returns the prompt of a process, which may also be named by its agent or its pid.
  private static func prompt(
    of process: String,
    _ service: any CoordinatorService
  ) async throws -> RenderedPrompt {
    let run = try await service.runs().last {
      $0.run == process || $0.agent == process || "\($0.pid)" == process
    }
    guard let prompt = try await service.renderedPrompt(of: run?.run ?? process) else {
      throw CommandError.noPrompt(process)
    }
    return prompt
  }

  private func show(_ prompt: RenderedPrompt) throws {
    if json { return Terminal.show(json: try JSONOutput.document(prompt)) }
    var text = StyledText(prompt.cachedText, .dim)
    text.append(prompt.computedText)
    Terminal.show([text])
    Terminal().note("\(prompt.tokens.counted("token")), \(prompt.cached) of them cached")
  }

  private func show(_ log: EventStream<LogPart>) async throws {
    var (shown, text) = (RunSummary?.none, "")
    do {
      for try await part in log {
        if follow, Terminal.isUnread { return }
        switch part {
        case .run(let run, let note):
          shown = run
          if let note { Terminal().note(note) }
        case .text(let more):
          if json { text += more } else { Terminal.show(text: more) }
        }
      }
    } catch ConnectionError.gone where follow && shown != nil {
      // The coordinator has ended, and with it everything that is followed.
    }
    guard json, let shown else { return }
    let lines = text.lines.map(String.init)
    Terminal.show(json: try JSONOutput.document(RunLog(run: shown, lines: lines)))
  }

  private struct RunLog: Encodable {
    let run: RunSummary
    let lines: [String]
  }
}
