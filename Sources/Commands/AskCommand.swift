import ArgumentParser
import Coordination
import Foundation
import Inspection
import Synchronization

struct AskCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ask",
    abstract: "Asks one question and writes the answer to standard output.",
    discussion: """
      It asks the coordinator that runs here; when none does, it starts one for the length of the \
      question. The options about agents and models are for that one.
      """
  )

  @Argument(help: "What to ask.")
  var question: String

  @Option(help: "The session to continue, or to begin.")
  var session = "default"

  @Flag(name: .shortAndLong, help: "Show calls, batons and friends on standard error.")
  var verbose = false

  @Flag(help: "Write the events of the turn as lines of JSON.")
  var json = false

  @OptionGroup var options: CoordinatorOptions

  func run() async throws {
    try await reporting {
      guard !question.allSatisfy(\.isWhitespace) else { throw CommandError.emptyPrompt }
      let folders = try Folders(environment: ProcessInfo.processInfo.environment)
      let client = ControlClient(socket: folders.socket)
      let summary = try await answer(client)
      guard summary?.answer != nil else { throw ExitCode.failure }
    }
  }

  /// How long another coordinator may take until it listens, or has ended.
  private static let patience = Duration.seconds(60)

  /// Asks the coordinator that runs; one that is only starting, or answers another question of its
  /// own, is waited for.
  private func answer(_ client: ControlClient) async throws -> TurnSummary? {
    let deadline = ContinuousClock.now + Self.patience
    while true {
      if try await client.status() != nil { return try await ask(client) }
      do {
        return try await askOwnCoordinator()
      } catch let error as CommandError {
        guard case .alreadyRunning = error, ContinuousClock.now < deadline else { throw error }
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  private func ask(_ client: ControlClient) async throws -> TurnSummary? {
    let request = PromptRequest(
      session: session,
      prompt: question,
      caps: try options.parsedCaps()
    )
    let show = show()
    var summary: TurnSummary?
    var wasRefused = false
    try await client.send(request) { line in
      switch line {
      case .event(let event):
        show(event)
        if case .ended(let ended) = event { summary = ended }
      case .refused(let reason):
        wasRefused = true
        Terminal().note("orchestrator: \(reason)")
      case .tick: break
      }
    }
    if summary == nil, !wasRefused { throw CommandError.coordinatorGone }
    return summary
  }

  private func askOwnCoordinator() async throws -> TurnSummary? {
    let terminal = Terminal()
    let coordinator = try await Coordinator(try options.settings(), terminal: terminal)
    let outcome = await withTaskGroup(of: Result<TurnSummary?, any Error>?.self) { group in
      group.addTask {
        await Signals.next().map { .failure(ExitCode(128 + $0)) }
      }
      group.addTask {
        do {
          let conversation = try await coordinator.conversations
            .conversation(named: self.session)
          return .success(
            try await conversation.respond(
              to: self.question,
              caps: coordinator.settings.caps,
              watch: self.show()
            )
          )
        } catch {
          return .failure(error)
        }
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    await coordinator.close()
    return try outcome?.get()
  }

  private func show() -> @Sendable (TurnEvent) -> Void {
    if json {
      return { event in
        guard let line = try? JSONOutput.line(event) else { return }
        print(line)
      }
    }
    return TurnPrinter(Terminal(), showsNotes: verbose).show
  }
}
