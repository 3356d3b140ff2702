import Coordination
import Coordinator
import Foundation
import Journal
import Synchronization
import Terminal

/// A chat: answers typed or piped prompts one at a time, and asks the questions that come up.
struct Chat: Sendable {
  private enum Input: Sendable {
    case line(InputLine)
    case closed
    /// The coordinator has ended, or the connection to it.
    case disconnected
    case asked(ApprovalRecord)
    case settled(Int64)
    case responded(isAnswered: Bool)
  }

  private let service: any CoordinatorService
  private let session: String
  private let agent: String?
  private let terminal: Terminal
  private let isAttended: Bool
  /// The requests of this chat; the events of others are shown as they come.
  private let requests = KnownRequests()

  init(
    _ service: any CoordinatorService,
    session: String,
    agent: String?,
    terminal: Terminal,
    isAttended: Bool
  ) {
    self.service = service
    self.session = session
    self.agent = agent
    self.terminal = terminal
    self.isAttended = isAttended
  }

  /// Runs until the input ends.
  /// - Returns: Whether all prompts were answered; `nil` when the chat was interrupted.
  func run() async throws -> Bool? {
    let others = try await service.events(of: session, since: nil)
    let status = try await service.open(SessionRequest(session: session, agent: agent))
    if terminal.isInteractive {
      terminal.note(
        "session '\(session)', \(status.holder) holds the baton; Ctrl-D ends the chat"
      )
    }
    for note in status.notes { terminal.note(note) }
    let (inputs, continuation) = AsyncStream<Input>.makeStream()
    let tell: @Sendable (TurnEvent) -> Void = { event in
      switch event {
      case .approvalAsked(let record) where isAttended: continuation.yield(.asked(record))
      case .approvalAnswered(let record): continuation.yield(.settled(record.id))
      default: break
      }
    }
    let allAnswered = await withTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      let reader = LineReader.standardInput()
      group.addTask {
        for await line in reader.lines { continuation.yield(.line(line)) }
        continuation.yield(.closed)
      }
      var state = ChatState(isTyped: terminal.isTyped)
      group.addTask {
        await showOthers(others)
        continuation.yield(.disconnected)
      }
      if status.waitsForPrompt {
        // Opening a chat does not ask for what was imported.
        terminal.note(Sessions.waitingForPrompt)
        showPrompt()
      } else if status.isInterrupted {
        state.beginResuming()
        group.addTask { await continuation.yield(.responded(isAnswered: resume(tell))) }
      } else {
        showPrompt()
      }
      for await input in inputs {
        let wasAsked = state.dialog.current?.id
        switch input {
        case .line(let line):
          let meaning = handle(line, &state)
          if case .answer(let answer) = meaning { group.addTask { await send(answer) } }
          if meaning?.isDone ?? true { reader.makeRoom() }
        case .closed:
          for answer in state.close() { group.addTask { await send(answer) } }
        case .disconnected: return Optional(false)
        case .asked(let record):
          // For the answer, which comes after all waiting prompts.
          reader.makeRoom()
          if let answer = state.dialog.ask(record) { group.addTask { await send(answer) } }
        case .settled(let id): state.dialog.settle(id)
        case .responded(let isAnswered): state.finish(isAnswered)
        }
        if let question = state.dialog.current, question.id != wasAsked { terminal.ask(question) }
        // A person would notice; a script would go on without a reader.
        if !terminal.isInteractive, Terminal.isUnread { state.giveUp() }
        if let prompt = state.begin() {
          reader.makeRoom()
          group.addTask {
            let isAnswered = await respond(to: prompt, watch: tell)
            continuation.yield(.responded(isAnswered: isAnswered))
          }
        } else if state.isOver {
          return Optional(state.allAnswered)
        } else if state.isIdle {
          showPrompt()
        }
      }
      return nil
    }
    if allAnswered != nil, terminal.isInteractive { terminal.write("\n") }
    return allAnswered
  }

  /// Handles a line.
  /// - Returns: What the line means; `nil` when it is unreadable or names an image that is
  ///   missing.
  private func handle(_ line: InputLine, _ state: inout ChatState) -> ChatState.Meaning? {
    let meaning: ChatState.Meaning
    do {
      meaning = try state.interpret(line)
    } catch {
      terminal.note("orchestrator: \(error)")
      // A person tries again; a script goes on, and must not be answered without the image.
      if !terminal.isTyped { state.skip(line) }
      return nil
    }
    switch meaning {
    case .answer: terminal.noteDenial(by: line)
    case .prompt, .nothing: break
    case .overtaken(let settled):
      terminal.askAgain(state.dialog.current, afterSettled: settled)
    case .attached(let image): terminal.note("\(image) will be sent with the next prompt.")
    case .refused(let text):
      terminal.note("orchestrator: '\(text)' was not sent, because its image is missing.")
    }
    return meaning
  }

  private func respond(
    to prompt: TypedPrompt,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async -> Bool {
    let request = PromptRequest(
      id: newRequest(),
      session: session,
      prompt: prompt.text,
      images: prompt.images.isEmpty ? nil : prompt.images,
      caps: nil,
      isAttended: isAttended
    )
    return await show(watch) { try await service.prompt(request) }
  }

  /// Finishes the turn during which an earlier coordinator ended.
  private func resume(_ watch: @escaping @Sendable (TurnEvent) -> Void) async -> Bool {
    let request = SessionRequest(id: newRequest(), session: session, isAttended: isAttended)
    return await show(watch) { try await service.resume(request) }
  }

  private func newRequest() -> String {
    let id = UUID().uuidString
    requests.insert(id)
    return id
  }

  /// Shows a turn.
  /// - Returns: Whether it came to an answer.
  private func show(
    _ watch: @escaping @Sendable (TurnEvent) -> Void,
    _ turn: () async throws -> EventStream<TurnEvent>
  ) async -> Bool {
    let printer = TurnPrinter(terminal)
    var hasAnswer = false
    // Unstructured: ends with the turn.
    let progress = Task { await ProgressLine(service, session: session).run() }
    defer { progress.cancel() }
    do {
      for try await event in try await turn() {
        printer.show(event)
        watch(event)
        if case .ended(let summary) = event { hasAnswer = summary.hasAnswer }
      }
      return hasAnswer
    } catch is CancellationError {
      return false
    } catch {
      // One rejected prompt is no reason to end the others.
      terminal.note("orchestrator: \(error)")
      return false
    }
  }

  /// Shows the turns that other clients began in the session.
  private func showOthers(_ events: EventStream<SessionEvent>) async {
    let printer = TurnPrinter(terminal)
    do {
      for try await event in events {
        // A turn without a request is resumed by the coordinator, which reports it.
        guard let request = event.request, !requests.contains(request) else {
          continue
        }
        if case .accepted = event.event { terminal.note("another client asks in this session") }
        printer.show(event.event)
      }
    } catch {
      if !Task.isCancelled { terminal.note("orchestrator: \(error)") }
    }
  }

  private func send(_ answer: ApprovalDialog.Answer) async {
    do {
      _ = try await service.answer(ApprovalAnswer(answer))
    } catch {
      terminal.note("orchestrator: \(error)")
    }
  }

  private func showPrompt() {
    if terminal.isInteractive { terminal.prompt("› ") }
  }
}

/// The identities of a chat's own requests.
private final class KnownRequests: Sendable {
  private let known = Mutex<Set<String>>([])

  func insert(_ id: String) { known.withLock { _ = $0.insert(id) } }
  func contains(_ id: String) -> Bool { known.withLock { $0.contains(id) } }
}
