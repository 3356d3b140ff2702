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
          do {
            switch try state.take(line) {
            case .answer(let answer): group.addTask { await send(answer) }
            case .attached(let image): terminal.note("\(image) goes with the next prompt")
            case .refused(let text):
              terminal.note("orchestrator: '\(text)' is not asked, because its image is missing")
            case .prompt: break
            }
          } catch {
            terminal.note("orchestrator: \(error)")
            // Somebody who types tries again; a script goes on, and must not be answered without it.
            if !terminal.isInteractive { state.missImage() }
          }
        case .closed:
          for answer in state.close() { group.addTask { await send(answer) } }
        case .asked(let record):
          if let answer = state.dialog.ask(record) { group.addTask { await send(answer) } }
        case .settled(let id): state.dialog.settle(id)
        case .responded(let isAnswered): state.finish(isAnswered)
        }
        if let question = state.dialog.current, question.id != wasAsked { show(question) }
        // Somebody who types would see it; a script would go on for nobody.
        if !terminal.isInteractive, Terminal.isUnread { state.giveUp() }
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

/// A prompt as it was typed, with what was attached before.
private struct TypedPrompt: Sendable {
  let text: String
  let images: [PromptImage]
}

/// Where a chat stands.
private struct State {
  /// What a line was taken for.
  enum Taken {
    case answer(ApprovalDialog.Answer)
    case attached(PromptImage)
    /// A prompt that cannot be asked as it was meant.
    case refused(String)
    case prompt
  }

  var dialog = ApprovalDialog()
  private(set) var allAnswered = true
  private var prompts: [TypedPrompt] = []
  private var images: [PromptImage] = []
  private var isResponding = false
  private var isClosed = false
  /// Whether nobody reads the answers.
  private var isUnread = false
  /// Whether an image is missing that the next prompt is about.
  private var lacksImage = false

  var isIdle: Bool { !isResponding && prompts.isEmpty }
  var isOver: Bool { isIdle && (isClosed || isUnread) }

  /// Takes what was typed: an answer where something is asked, an image for the next prompt, or that
  /// prompt.
  mutating func take(_ line: String) throws(CommandError) -> Taken {
    if let answer = dialog.answer(line) { return .answer(answer) }
    let text = line.trimmingCharacters(in: .whitespaces)
    if let path = ImageArgument.path(in: text) {
      let image = try ImageArgument.read(path)
      images.append(image)
      return .attached(image)
    }
    if !text.isEmpty, lacksImage {
      (lacksImage, images) = (false, [])
      return .refused(text)
    }
    if !text.isEmpty {
      prompts.append(TypedPrompt(text: text, images: images))
      images = []
    }
    return .prompt
  }

  /// The next prompt is not asked, and so not everything is answered.
  mutating func missImage() {
    allAnswered = false
    lacksImage = true
  }

  mutating func close() -> [ApprovalDialog.Answer] {
    isClosed = true
    return dialog.leave()
  }

  /// Nobody reads answers any more: what is not begun is not answered.
  mutating func giveUp() {
    if !isOver { allAnswered = false }
    isUnread = true
    prompts = []
  }

  /// The prompt to answer now, if there is one and none is being answered.
  mutating func begin() -> TypedPrompt? {
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
