import ArgumentParser
import Coordination
import Foundation
import Inspection
import Journal
import Transcripts

struct AskCommand: AsyncParsableCommand {
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

  @Option(help: "The session to continue or start.")
  var session = "default"

  @Option(
    help: ArgumentHelp(
      "A PNG or JPEG image that the question is about; may be repeated.",
      valueName: "file"
    ),
    transform: GivenPath.read
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

  func run() async throws {
    try await reporting {
      let question = try given == "-" ? Self.readQuestion() : given
      guard !question.allSatisfy(\.isWhitespace) else { throw CommandError.emptyPrompt }
      _ = try SessionName.given(session)
      let images = try ImageArgument.read(image)
      let folders = try Folders(environment: ProcessInfo.processInfo.environment)
      let summary = try await answer(question, images, folders)
      guard summary?.hasAnswer == true else { throw ExitCode.failure }
    }
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
  private func answer(
    _ question: String,
    _ images: [PromptImage],
    _ folders: Folders
  ) async throws -> TurnSummary? {
    let turnSeconds = try options.givenCaps()?.over(Caps()).seconds ?? Caps().seconds
    let deadline = ContinuousClock.now + .seconds(turnSeconds + Self.patience)
    var settings: CoordinatorSettings?
    var isToldToWait = false
    while true {
      if let (client, status) = try await ControlClient.serving(folders) {
        try options.check(against: status)
        do {
          return try await ask(question, images, client)
        } catch let error as CommandError {
          guard case .coordinatorGone = error else { throw error }
          // Whoever hangs up cancels the turn, also when the network did it.
          let isServing = try? await ControlClient.serving(folders)?.status.pid == status.pid
          throw isServing == true ? CommandError.connectionLost : error
        } catch ControlError.gone {
          // This was while it was told about a call, which only an accepted prompt has.
          throw CommandError.coordinatorGone(isAccepted: true)
        }
      }
      do {
        let known = try settings ?? options.settings()
        settings = known
        return try await askOwnCoordinator(known, question, images)
      } catch let error as CommandError {
        guard case .alreadyRunning(let holder) = error, ContinuousClock.now < deadline else {
          throw error
        }
        if !isToldToWait { Terminal().note("Waiting for the running coordinator (\(holder)).") }
        isToldToWait = true
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  private func ask(
    _ question: String,
    _ images: [PromptImage],
    _ client: ControlClient
  ) async throws -> TurnSummary? {
    let request = PromptRequest(
      session: session,
      prompt: question,
      agent: options.agent,
      images: images.isEmpty ? nil : images,
      caps: try options.givenCaps(),
      // Without an option, and if nobody can be asked here, the setting of 'start' applies.
      isAttended: attended ?? (isAttended ? true : nil)
    )
    return try await watching(others: true) { watch in
      var summary: TurnSummary?
      var turn: Int64?
      var refusal: ControlError?
      do {
        try await client.send(request) { line in
          switch line {
          case .event(let event):
            watch(event)
            switch event {
            case .accepted(let accepted, _): turn = accepted
            // An interrupted turn may end first; that is not the answer to this question.
            case .ended(let ended) where ended.turn == turn: summary = ended
            default: break
            }
          case .refused(let reason, let status):
            refusal = ControlError(ofPrompt: reason, status: status)
          case .tick: break
          }
        }
      } catch ControlError.gone {
        // As with a stream that ends before its turn does, the events so far decide what it means.
      }
      if let refusal { throw refusal }
      if summary == nil {
        let isJournaled = try? await Self.isUnderWay(question, in: session)
        throw CommandError.coordinatorGone(isAccepted: turn != nil || isJournaled == true)
      }
      if summary?.exit == .cancelled {
        Terminal().note("The coordinator was stopped, and the turn was rolled back. Ask again.")
      }
      return summary
    } answering: { id, denial in
      try await client.answer(ApprovalAnswer(id: id, denial: denial, by: .chat))
    }
  }

  /// Whether the question is on disk although its acceptance was never reported.
  private static func isUnderWay(_ question: String, in session: String) async throws -> Bool {
    let reader = try JournalReader.ofThisHome()
    guard let name = try await reader.journaledName(of: session),
      let conversation = try await reader.conversation(named: name),
      let turn = try await reader.turns(of: conversation.id).last, turn.exit == nil,
      case .prompt(let prompt)? = try await reader.entries(of: conversation.id)
        .first(where: { $0.turn == turn.id })?.entry
    else { return false }
    // Images are described in words, too.
    let texts = prompt.segments.compactMap { segment in
      if case .text(let text) = segment { text.content } else { nil }
    }
    return texts.joined(separator: "\n") == question
  }

  private func askOwnCoordinator(
    _ settings: CoordinatorSettings,
    _ question: String,
    _ images: [PromptImage]
  ) async throws -> TurnSummary? {
    let terminal = Terminal()
    let coordinator = try await Coordinator(settings, terminal: terminal)
    let outcome = await withTaskGroup(of: Result<TurnSummary?, any Error>?.self) { group in
      group.addTask {
        await Signals.next().map { .failure(ExitCode(128 + $0)) }
      }
      group.addTask {
        do {
          return .success(try await self.ask(question, images, coordinator))
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

  private func ask(
    _ question: String,
    _ images: [PromptImage],
    _ coordinator: Coordinator
  ) async throws -> TurnSummary? {
    let conversation = try await coordinator.conversations.conversation(named: session)
    if let correction = try await coordinator.holder(of: session)?.correction {
      Terminal().note(correction)
    }
    return try await watching(others: false) { watch in
      try await conversation.respond(
        to: question,
        images: images,
        caps: coordinator.settings.caps,
        isAttended: isAttended,
        watch: watch
      )
    } answering: { id, denial in
      try await coordinator.conversations.approvals.answer(id, denial: denial, by: .chat)
    }
  }

  private var isAttended: Bool { attended ?? Terminal().canAsk }

  /// Shows a turn, and asks the person here the questions that come up in it.
  /// - Parameter others: Whether somebody elsewhere can answer too.
  private func watching(
    others: Bool,
    _ turn:
      @escaping @Sendable (@escaping @Sendable (TurnEvent) -> Void) async throws
      -> TurnSummary?,
    answering: @escaping Attendant.Answering
  ) async throws -> TurnSummary? {
    let show = show()
    guard isAttended else { return try await turn(show) }
    let attendant = Attendant(Terminal(), hasOthers: others)
    return try await withThrowingTaskGroup(of: TurnSummary??.self) { group in
      group.addTask {
        await attendant.run(answering: answering)
        return nil
      }
      group.addTask {
        try await turn { event in
          show(event)
          attendant.note(event)
        }
      }
      defer { group.cancelAll() }
      while let ended = try await group.next() {
        if let summary = ended { return summary }
      }
      return nil
    }
  }

  private func show() -> @Sendable (TurnEvent) -> Void {
    if json {
      let isAttended = isAttended
      return { event in
        // Every event can be written: only numbers that are not finite have no form in JSON.
        guard let line = try? JSONOutput.line(event) else { return }
        Terminal.show(json: line)
        // A person who decides must be told about what.
        if isAttended, case .approvalAsked(let record) = event { Terminal().note(record.question) }
      }
    }
    return TurnPrinter(Terminal(), showsNotes: verbose, answersOneQuestion: true).show
  }
}
