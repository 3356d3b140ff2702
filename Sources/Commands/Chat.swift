import Coordination
import Foundation
import Journal

/// Prompts that are typed or piped in, answered one after the other; and the questions that come up
/// on the way.
struct Chat: Sendable {
  private enum Input: Sendable {
    case line(String)
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

  /// Goes on until the input ends; returns whether all prompts were answered, or `nil` when the chat
  /// was broken off.
  func run() async throws -> Bool? {
    let conversation = try await coordinator.conversations.conversation(named: session)
    if terminal.isInteractive {
      terminal.note("session '\(session)'; Ctrl-D ends the chat")
    }
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
      group.addTask {
        for await line in StandardInput.lines() { continuation.yield(.line(line)) }
        continuation.yield(.closed)
      }
      var state = State()
      if await conversation.isInterrupted {
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
          if let answer = state.take(line) { group.addTask { await send(answer) } }
        case .closed:
          for answer in state.close() { group.addTask { await send(answer) } }
        case .asked(let record): state.dialog.ask(record)
        case .settled(let id): state.dialog.settle(id)
        case .responded(let isAnswered): state.finish(isAnswered)
        }
        if let question = state.dialog.current, question.id != wasAsked { show(question) }
        if let prompt = state.begin() {
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

  private func respond(
    to prompt: String,
    in conversation: Conversation,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async -> Bool {
    await show(watch) { show in
      try await conversation.respond(
        to: prompt,
        caps: coordinator.settings.caps,
        isAttended: isAttended,
        watch: show
      )
    }
  }

  /// Finishes the turn in which an earlier coordinator ended.
  private func resume(
    _ conversation: Conversation,
    _ watch: @escaping @Sendable (TurnEvent) -> Void
  ) async -> Bool {
    await show(watch) { show in
      try await conversation.resume(isAttended: isAttended, watch: show)
    }
  }

  /// Shows a turn; returns whether it came to an answer.
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
      return summary?.answer != nil
    } catch is CancellationError {
      return false
    } catch {
      // One prompt that is not accepted is no reason to end all others.
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

  private func show(_ question: ApprovalRecord) {
    terminal.note("request \(question.id): type y, n, or why not")
  }

  private func showPrompt() {
    if terminal.isInteractive { terminal.prompt("› ") }
  }
}

/// Where a chat stands.
private struct State {
  var dialog = ApprovalDialog()
  private(set) var allAnswered = true
  private var prompts: [String] = []
  private var isResponding = false
  private var isClosed = false

  var isIdle: Bool { !isResponding && prompts.isEmpty }
  var isOver: Bool { isIdle && isClosed }

  /// Takes what was typed: an answer where something is asked, and the next prompt otherwise.
  mutating func take(_ line: String) -> ApprovalDialog.Answer? {
    if let answer = dialog.answer(line) { return answer }
    let prompt = line.trimmingCharacters(in: .whitespaces)
    if !prompt.isEmpty { prompts.append(prompt) }
    return nil
  }

  mutating func close() -> [ApprovalDialog.Answer] {
    isClosed = true
    return dialog.leave()
  }

  /// The prompt to answer now, if there is one and none is being answered.
  mutating func begin() -> String? {
    guard !isResponding, !prompts.isEmpty else { return nil }
    isResponding = true
    return prompts.removeFirst()
  }

  /// An earlier turn is finished before any prompt is begun.
  mutating func beginResuming() { isResponding = true }

  mutating func finish(_ isAnswered: Bool) {
    isResponding = false
    if !isAnswered { allAnswered = false }
  }
}

/// Standard input, by lines.
enum StandardInput {
  static func lines() -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream<String>.makeStream()
    // Reading blocks, and so it has a thread of its own, which ends with the process.
    Thread.detachNewThread {
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }
    return lines
  }
}
