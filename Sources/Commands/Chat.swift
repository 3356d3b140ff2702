import Coordination
import Foundation
import Journal

/// A chat: answers typed or piped prompts one at a time, and asks the questions that come up.
struct Chat: Sendable {
  private enum Input: Sendable {
    case line(InputLine)
    case closed
    case asked(ApprovalRecord)
    case settled(Int64)
    case responded(isAnswered: Bool)
  }

  private let coordinator: Coordinator
  private let session: String
  private let terminal: Terminal
  private let isAttended: Bool

  init(_ coordinator: Coordinator, session: String, terminal: Terminal, isAttended: Bool) {
    self.coordinator = coordinator
    self.session = session
    self.terminal = terminal
    self.isAttended = isAttended
  }

  /// Runs until the input ends.
  /// - Returns: Whether all prompts were answered; `nil` when the chat was interrupted.
  func run() async throws -> Bool? {
    let conversation = try await coordinator.conversations.conversation(named: session)
    if let holder = try await coordinator.holder(of: session) {
      if terminal.isInteractive { terminal.note(holder.greeting) }
      if let correction = holder.correction { terminal.note(correction) }
    }
    if let givenUp = await conversation.takeGivenUp() { terminal.note(givenUp) }
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
      if await conversation.waitsForPrompt {
        // Whoever opens a chat does not ask for what is in a file.
        terminal.note(Conversations.waitingForPrompt)
        showPrompt()
      } else if await conversation.isInterrupted {
        state.beginResuming()
        group.addTask {
          await continuation.yield(.responded(isAnswered: resume(conversation, tell)))
        }
      } else {
        showPrompt()
      }
      for await input in inputs {
        let wasAsked = state.dialog.current?.id
        switch input {
        case .line(let line):
          let taken = take(line, &state)
          if case .answer(let answer) = taken { group.addTask { await send(answer) } }
          if taken?.isDone ?? true { reader.makeRoom() }
        case .closed:
          for answer in state.close() { group.addTask { await send(answer) } }
        case .asked(let record):
          // For the answer, which comes after all waiting prompts.
          reader.makeRoom()
          if let answer = state.dialog.ask(record) { group.addTask { await send(answer) } }
        case .settled(let id): state.dialog.settle(id)
        case .responded(let isAnswered): state.finish(isAnswered)
        }
        if let question = state.dialog.current, question.id != wasAsked { terminal.ask(question) }
        // A person would notice; a script would go on for nobody.
        if !terminal.isInteractive, Terminal.isUnread { state.giveUp() }
        if let prompt = state.begin() {
          reader.makeRoom()
          group.addTask {
            let isAnswered = await respond(to: prompt, in: conversation, watch: tell)
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

  /// Takes a line.
  /// - Returns: What the line was taken for; `nil` when it is unreadable or names an image that is
  ///   missing.
  private func take(_ line: InputLine, _ state: inout ChatState) -> ChatState.Taken? {
    let taken: ChatState.Taken
    do {
      taken = try state.take(line)
    } catch {
      terminal.note("orchestrator: \(error)")
      // A person tries again; a script goes on, and must not be answered without the image.
      if !terminal.isTyped { state.skip(line) }
      return nil
    }
    switch taken {
    case .answer: terminal.noteDenial(by: line)
    case .prompt, .nothing: break
    case .overtaken(let settled):
      terminal.askAgain(state.dialog.current, afterSettled: settled)
    case .attached(let image): terminal.note("\(image) will be sent with the next prompt.")
    case .refused(let text):
      terminal.note("orchestrator: '\(text)' was not sent, because its image is missing.")
    }
    return taken
  }

  private func respond(
    to prompt: TypedPrompt,
    in conversation: Conversation,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async -> Bool {
    await show(watch) { show in
      try await conversation.respond(
        to: prompt.text,
        images: prompt.images,
        caps: coordinator.settings.caps,
        isAttended: isAttended,
        watch: show
      )
    }
  }

  /// Finishes the turn during which an earlier coordinator ended.
  private func resume(
    _ conversation: Conversation,
    _ watch: @escaping @Sendable (TurnEvent) -> Void
  ) async -> Bool {
    await show(watch) { show in
      try await conversation.resume(isAttended: isAttended, watch: show)
    }
  }

  /// Shows a turn.
  /// - Returns: Whether it came to an answer.
  private func show(
    _ watch: @escaping @Sendable (TurnEvent) -> Void,
    _ turn: (@escaping @Sendable (TurnEvent) -> Void) async throws -> TurnSummary?
  ) async -> Bool {
    let printer = TurnPrinter(terminal)
    do {
      let summary = try await turn { event in
        printer.show(event)
        watch(event)
      }
      return summary?.hasAnswer == true
    } catch is CancellationError {
      return false
    } catch {
      // One rejected prompt is no reason to end the others.
      terminal.note("orchestrator: \(error)")
      return false
    }
  }

  private func send(_ answer: ApprovalDialog.Answer) async {
    do {
      let desk = coordinator.conversations.approvals
      try await desk.answer(answer.id, denial: answer.denial, by: .chat)
    } catch {
      terminal.note("orchestrator: \(error)")
    }
  }

  private func showPrompt() {
    if terminal.isInteractive { terminal.prompt("› ") }
  }
}
