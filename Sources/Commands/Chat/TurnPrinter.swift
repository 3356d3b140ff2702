import Coordination
import Foundation
import Journal
import Synchronization
import Terminal
import Transcripts
import Wire

/// Shows a turn as it happens.
final class TurnPrinter: Sendable {
  private struct State {
    var shown: [String: String] = [:]
    /// The last wait for a server that was shown of each agent.
    var waits: [String: ServerWait] = [:]
    /// Whether the shown turn was begun by an earlier coordinator.
    var isResumed = false
  }

  private static let secondsBetweenWaits = 5.0

  private let terminal: Terminal
  private let showsNotes: Bool
  private let answersOneQuestion: Bool
  private let state = Mutex(State())

  /// Makes a printer.
  /// - Parameter answersOneQuestion: Whether standard output is reserved for the answer to one
  ///   question; the answer of an interrupted turn is then written as a note.
  init(_ terminal: Terminal, showsNotes: Bool = true, answersOneQuestion: Bool = false) {
    self.terminal = terminal
    self.showsNotes = showsNotes
    self.answersOneQuestion = answersOneQuestion
  }

  func show(_ event: TurnEvent) {
    switch event {
    case .accepted: state.withLock { $0 = State() }
    case .resumed(_, _, let prompt):
      state.withLock { $0 = State(isResumed: true) }
      terminal.note("resuming an interrupted turn: \(Self.oneLine(prompt))")
    case .workerReplaced(let agent, let death): replaced(agent, death)
    case .text(_, let change): show(change)
    case .said(let agent, let text): finish(text, beside: agent)
    case .answered(_, let text): finish(text)
    // Shown while it grew.
    case .reasoned: break
    case .toolCall(_, let agent, let tool, let arguments):
      note("\(agent) calls \(tool)\(arguments)")
    case .toolOutput(_, _, let tool, let text): note("  \(tool) → \(Self.oneLine(text))")
    case .toolProgress(_, _, let tool, let progress):
      note("  \(tool): \(Self.oneLine("\(progress)"))")
    case .approvalAsked(let record): terminal.note(record.question)
    case .approvalAnswered(let record):
      let denial = record.answer?.denial
      terminal.note("request \(record.id): " + (denial.map { "denied: \($0)" } ?? "approved"))
    case .clientCalls(let calls):
      let names = calls.map(\.toolName).joined(separator: ", ")
      terminal.note("the turn waits for its client to perform: \(names)")
    case .clientAnswered(_, let calls): note("the client performed \(calls.count.counted("call"))")
    case .context(let agent, let report): note("context of \(agent): \(report)")
    case .batonPassed(let from, let to): note("baton: \(from) → \(to)")
    case .friendPhoned(let agent, let pid, _): note("friend: \(agent) started (pid \(pid))")
    case .friendGone(let agent, let pid, _, let tokens, let seconds):
      let time = String(format: "%.2f", seconds)
      note("friend: \(agent) ended (pid \(pid), \(tokens.counted("token")), \(time) s)")
    case .coreAwaited(let agent, let place, let cores):
      note("\(agent) waits for a core, place \(place) in the queue (\(cores.counted("core")))")
    case .memoryAwaited(let agent, let wait): note("\(agent) \(MemoryText.wait(wait))")
    case .hostAwaited(let agent, let wait): note("\(agent) waits for \(HostText.wait(wait))")
    case .serverAwaited(let agent, let wait): show(wait, of: agent)
    case .trouble(let problem): terminal.note(problem)
    case .ended(let summary):
      terminal.endLine()
      switch summary.exit {
      case .answered, .finalAnswer, .modeChanged:
        if !summary.hasAnswer { terminal.note("The model's answer is empty.") }
      case .cap, .cancelled, .contextSizeExceeded, .refused, .failed:
        terminal.note("turn ended: \(summary.exit)")
      }
    }
  }

  private func note(_ text: String) {
    if showsNotes { terminal.note(text) }
  }

  /// Shows a wait for a server, but not each of many short ones: a server may ask for a second each
  /// time until the turn ends.
  private func show(_ wait: ServerWait, of agent: String) {
    let isNew = state.withLock { state in
      if let last = state.waits[agent], last.server == wait.server, last.reason == wait.reason,
        wait.seconds < Self.secondsBetweenWaits,
        (0..<Self.secondsBetweenWaits).contains(wait.waited - last.waited)
      {
        return false
      }
      state.waits[agent] = wait
      return true
    }
    guard isNew else { return }
    let time = String(format: "%.1f", wait.seconds)
    note("\(agent) waits for \(wait.server) (\(wait.reason)), asks again in \(time) s")
  }

  private func show(_ change: TextChange) {
    // Output to a file or a pipe cannot be taken back, so an answer is written once it is complete.
    guard !change.isReasoning, terminal.isInteractive, !isAside else { return }
    let before = state.withLock { state in
      let before = state.shown[change.entryID] ?? ""
      state.shown[change.entryID] =
        String(decoding: before.utf8.prefix(change.keptBytes), as: UTF8.self) + change.added
      return before
    }
    // Printed text cannot be taken back: after a changed beginning it is printed anew, on a new
    // line.
    if change.keptBytes < before.utf8.count {
      terminal.endLine()
      terminal.write(String(decoding: before.utf8.prefix(change.keptBytes), as: UTF8.self))
    }
    terminal.write(change.added)
  }

  private func finish(_ text: String) {
    if isAside { return terminal.note(text) }
    if !forgetShown(text) {
      terminal.endLine()
      terminal.write(text)
    }
    terminal.endLine()
  }

  /// Ends what an agent said alongside calls.
  ///
  /// If it was not shown live, it becomes a note, because it is not an answer.
  private func finish(_ text: String, beside agent: String) {
    let isShown = forgetShown(text)
    terminal.endLine()
    if !isShown { note("\(agent): \(text)") }
  }

  /// Forgets what was shown of unfinished entries.
  /// - Returns: Whether a text was among it.
  private func forgetShown(_ text: String) -> Bool {
    state.withLock { state in
      defer { state.shown = [:] }
      return state.shown.values.contains(text)
    }
  }

  /// Whether an answer does not belong to the question that standard output is for.
  private var isAside: Bool { answersOneQuestion && state.withLock { $0.isResumed } }

  /// Says that a worker was replaced, and that its unfinished answer, if shown, no longer counts.
  private func replaced(_ agent: String, _ death: String) {
    let hasShown = state.withLock { state in
      defer { state.shown = [:] }
      return state.shown.values.contains { !$0.isEmpty }
    }
    let words = "A new process replaces \(agent): \(death)"
    guard hasShown else { return note(words) }
    terminal.endLine()
    terminal.note("\(words) Its unfinished answer is withdrawn.")
  }

  static func oneLine(_ text: String) -> String {
    let line = text.inOneLine
    return line.count > 160 ? line.prefix(159) + "…" : line
  }
}
