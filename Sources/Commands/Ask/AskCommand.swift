import ArgumentParser
import Coordination
import Coordinator
import Doors
import Foundation
import Journal
import Terminal
import Transcripts

struct AskCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "ask",
    abstract: "Asks one question and writes the answer to standard output.",
    discussion: """
      Asks the running coordinator: --agent, --caps and --attended apply to the question; --agents, \
      --model and --sandbox must match how it was started, and its other options are refused. If \
      none is running, starts one for this question.
      """
  )

  @Argument(
    help: ArgumentHelp("The question; '-' reads it from standard input.", valueName: "question")
  )
  var given: String

  @Option(help: "The session to continue or start.", completion: Names.sessions)
  var session = "default"

  @Option(
    help: ArgumentHelp(
      "A PNG or JPEG image that the question is about; may be repeated.",
      valueName: "file"
    ),
    completion: .file(extensions: ["png", "jpg", "jpeg"]),
    transform: PathArgument.read
  )
  var image: [String] = []

  @Flag(name: .shortAndLong, help: "Show calls, batons and friends on standard error.")
  var verbose = false

  @Flag(help: "Write the events of the turn as JSON, one object per line.")
  var json = false

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Whether someone is present to approve calls. (default: in a terminal)",
      discussion:
        "Approve calls here or, if a coordinator is running, with 'orchestrator approve'."
    )
  )
  var attended: Bool?

  @OptionGroup var options: CoordinatorOptions

  func perform() async throws {
    let question = try given == "-" ? Self.readQuestion() : given
    guard !question.allSatisfy(\.isWhitespace) else { throw CommandError.emptyPrompt }
    _ = try SessionArgument.checked(session)
    let images = try ImageArgument.read(image)
    let request = PromptRequest(
      id: UUID().uuidString,
      session: session,
      prompt: question,
      agent: options.agent,
      images: images.isEmpty ? nil : images,
      caps: try options.givenCaps(),
      // Without an option, and if no one can be asked here, the setting of 'start' applies.
      isAttended: attended ?? (isAttended ? true : nil)
    )
    let summary = try await answer(request)
    guard summary.hasAnswer else { throw ExitCode.failure }
  }

  /// Reads all of standard input, without the final line end.
  private static func readQuestion() throws(CommandError) -> String {
    guard let text = String(validating: try StandardInput.read(), as: UTF8.self) else {
      throw .unreadableQuestion
    }
    return text.last?.isNewline == true ? String(text.dropLast()) : text
  }

  /// The seconds that another coordinator may take to listen or end, besides its own question's
  /// time.
  private static let patience = 60

  /// Asks the running coordinator, or an own one.
  ///
  /// Waits for a coordinator that is still starting or is answering a question of its own.
  private func answer(_ request: PromptRequest) async throws -> TurnSummary {
    let folders = try CommandEnvironment.folders()
    let deadline =
      ContinuousClock.now + .seconds((request.caps?.over(Caps()) ?? Caps()).seconds + Self.patience)
    var settings: CoordinatorSettings?
    return try await CommandEnvironment.whileAnotherRuns(until: deadline) {
      if let (service, status) = try await RemoteCoordinator.running(folders) {
        try options.check(against: status)
        return try await ask(request, service, of: status, folders)
      }
      let known = try settings ?? options.settings()
      settings = known
      return try await askOwnCoordinator(request, known)
    }
  }

  /// Asks a coordinator that runs, and explains what a lost connection means.
  private func ask(
    _ request: PromptRequest,
    _ service: RemoteCoordinator,
    of status: CoordinatorStatus,
    _ folders: Folders
  ) async throws -> TurnSummary {
    let question = Question(request, isShared: true, json: json, verbose: verbose)
    do {
      let summary = try await question.ask(service)
      if summary.exit == .cancelled {
        Terminal().note("The turn was cancelled and rolled back. Ask again.")
      }
      return summary
    } catch ConnectionError.gone {
      if question.isAccepted {
        // Closing the connection cancels the turn, also when the network closed it.
        let isRunning = try? await RemoteCoordinator.running(folders)?.status.pid == status.pid
        guard isRunning != true else { throw CommandError.connectionLost }
        throw CommandError.coordinatorGone(isAccepted: true)
      }
      // It may be on disk although its acceptance was never reported.
      let journal = try? JournalReader(path: folders.journal)
      let turn = try? await journal?.turn(ofRequest: request.id ?? "")
      throw CommandError.coordinatorGone(isAccepted: turn.map { $0.exit == nil } ?? false)
    }
  }

  private func askOwnCoordinator(
    _ request: PromptRequest,
    _ settings: CoordinatorSettings
  ) async throws -> TurnSummary {
    let coordinator = try await Coordinator(settings, logger: options.logger(settings.folders))
    let question = Question(request, isShared: false, json: json, verbose: verbose)
    let outcome = await withTaskGroup(of: Result<TurnSummary, any Error>?.self) { group in
      group.addTask { await Signals.next().map { .failure(ExitCode(128 + $0)) } }
      group.addTask {
        do {
          return .success(
            try await question.ask(LocalCoordinator(coordinator, isAttended: false))
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
    // Without an outcome, this task was cancelled.
    guard let outcome else { throw CancellationError() }
    return try outcome.get()
  }

  private var isAttended: Bool { attended ?? Terminal().canAsk }
}
