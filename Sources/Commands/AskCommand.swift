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
      let folders = try Folders(environment: ProcessInfo.processInfo.environment)
      let client = ControlClient(socket: folders.socket)
      let summary =
        await client.status() != nil
        ? try await ask(client) : try await askOwnCoordinator()
      guard summary?.answer != nil else { throw ExitCode.failure }
    }
  }

  private func ask(_ client: ControlClient) async throws -> TurnSummary? {
    var caps: Caps?
    if options.caps != nil { caps = try options.settings().caps }
    let request = PromptRequest(session: session, prompt: question, caps: caps)
    let show = show()
    var summary: TurnSummary?
    try await client.send(request) { line in
      switch line {
      case .event(let event):
        show(event)
        if case .ended(let ended) = event { summary = ended }
      case .refused(let reason): Terminal().note("orchestrator: \(reason)")
      case .tick: break
      }
    }
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
