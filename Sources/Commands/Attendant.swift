import Coordination
import Foundation
import Journal

/// Asks the person at this terminal about calls, while a question of theirs is being answered.
///
/// Nothing is read before something is asked: what stands in the input may be for somebody else. When
/// the input ends, others are left to answer, where there may be any.
///
/// A line that comes while nothing is asked is nobody's where a person typed it, who cannot have seen
/// what comes next. Of a file or a pipe each line is for a question, and waits for it.
struct Attendant: Sendable {
  typealias Answering = @Sendable (Int64, String?) async throws -> Void

  private enum Input: Sendable {
    case asked(ApprovalRecord)
    case settled(Int64)
    case line(String)
    case closed
  }

  private let terminal: Terminal
  private let hasOthers: Bool
  private let inputs: AsyncStream<Input>
  private let continuation: AsyncStream<Input>.Continuation

  /// - Parameter hasOthers: Whether somebody elsewhere can answer too, with 'orchestrator approve'.
  init(_ terminal: Terminal, hasOthers: Bool) {
    self.terminal = terminal
    self.hasOthers = hasOthers
    (inputs, continuation) = AsyncStream.makeStream()
  }

  /// Takes an event of the turn.
  func note(_ event: TurnEvent) {
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
      var early: [String] = []
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
          switch dialog.take(early.removeFirst()) {
          case .answer(let answer): await send(answer, answering)
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

  /// Gives the answer of somebody who has left, or leaves it to the others.
  private func leave(_ answer: ApprovalDialog.Answer, _ answering: Answering) async {
    guard hasOthers else { return await send(answer, answering) }
    terminal.note("request \(answer.id): answer with 'orchestrator approve \(answer.id)'")
  }

  private func send(_ answer: ApprovalDialog.Answer, _ answering: Answering) async {
    do {
      try await answering(answer.id, answer.denial)
    } catch {
      terminal.note("orchestrator: \(error)")
    }
  }
}
