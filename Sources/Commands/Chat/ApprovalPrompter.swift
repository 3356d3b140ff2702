import Coordination
import Journal
import Terminal

/// Asks the person at this terminal about calls while their question is being answered.
///
/// Nothing is read before something is asked, because the input may be meant for another program.
/// When the input ends, answering is left to other clients, if there may be any.
///
/// A typed line that arrives while nothing is asked is dropped, because the person cannot have seen
/// the next question. In a file or a pipe, each line belongs to a question and waits for it.
struct ApprovalPrompter: Sendable {
  typealias Answering = @Sendable (ApprovalDialog.Answer) async throws -> Void

  private enum Input: Sendable {
    case asked(ApprovalRecord)
    case settled(Int64)
    case line(InputLine)
    case closed
  }

  private let terminal: Terminal
  private let hasOthers: Bool
  private let inputs: AsyncStream<Input>
  private let continuation: AsyncStream<Input>.Continuation

  /// Prepares to ask at a terminal.
  /// - Parameter hasOthers: Whether others can answer too, with 'orchestrator approve'.
  init(_ terminal: Terminal, hasOthers: Bool) {
    self.terminal = terminal
    self.hasOthers = hasOthers
    (inputs, continuation) = AsyncStream.makeStream()
  }

  func handle(_ event: TurnEvent) {
    switch event {
    case .approvalAsked(let record): continuation.yield(.asked(record))
    case .approvalAnswered(let record): continuation.yield(.settled(record.id))
    default: break
    }
  }

  /// Asks until the task is cancelled.
  func run(answering: @escaping Answering) async {
    await withTaskGroup(of: Void.self) { group in
      var dialog = ApprovalDialog()
      var reader: LineReader?
      var early: [InputLine] = []
      var isClosed = false
      for await input in inputs {
        let wasAsked = dialog.current?.id
        switch input {
        case .asked(let record):
          if let answer = dialog.ask(record) { await leave(answer, answering) }
        case .settled(let id): dialog.settle(id)
        case .line(let line): early.append(line)
        case .closed: isClosed = true
        }
        while !early.isEmpty, dialog.current != nil || terminal.canAsk {
          reader?.makeRoom()
          let line = early.removeFirst()
          switch dialog.interpret(line) {
          case .answer(let answer):
            terminal.noteDenial(by: line)
            await send(answer, answering)
          case .overtaken(let settled):
            if let question = dialog.current {
              terminal.askAgain(question, afterSettled: settled)
            }
          case nil: break
          }
        }
        if isClosed, early.isEmpty {
          for answer in dialog.leave() { await leave(answer, answering) }
        }
        guard let question = dialog.current, question.id != wasAsked else { continue }
        terminal.ask(question)
        guard reader == nil else { continue }
        let standardInput = LineReader.standardInput()
        reader = standardInput
        group.addTask {
          for await line in standardInput.lines { continuation.yield(.line(line)) }
          continuation.yield(.closed)
        }
      }
      group.cancelAll()
    }
  }

  /// Sends the answer of a person who has left, or leaves it to others.
  private func leave(_ answer: ApprovalDialog.Answer, _ answering: Answering) async {
    guard hasOthers else { return await send(answer, answering) }
    terminal.note("request \(answer.id): answer with 'orchestrator approve \(answer.id)'")
  }

  private func send(_ answer: ApprovalDialog.Answer, _ answering: Answering) async {
    do {
      try await answering(answer)
    } catch {
      terminal.note("orchestrator: \(error)")
    }
  }
}
