import Coordination
import Coordinator
import Doors
import Foundation
import Journal
import Synchronization
import Terminal
import Transcripts

/// One question to a service: shows its turn, and asks the person here about calls.
final class Question: Sendable {
  private let request: PromptRequest
  /// Whether others can answer too, with 'orchestrator approve'.
  private let isShared: Bool
  private let json: Bool
  private let verbose: Bool
  private let turn = Mutex<Int64?>(nil)

  init(_ request: PromptRequest, isShared: Bool, json: Bool, verbose: Bool) {
    self.request = request
    self.isShared = isShared
    self.json = json
    self.verbose = verbose
  }

  /// Whether the prompt is known to be on disk.
  var isAccepted: Bool { turn.withLock { $0 != nil } }

  private var isAttended: Bool { request.isAttended == true }

  func ask(_ service: any CoordinatorService) async throws -> TurnSummary {
    let show = show()
    guard isAttended else { return try await follow(service, show) }
    let prompter = ApprovalPrompter(Terminal(), hasOthers: isShared)
    return try await withThrowingTaskGroup(of: TurnSummary?.self) { group in
      group.addTask {
        await prompter.run { answer in
          _ = try await service.answer(ApprovalAnswer(answer))
        }
        return nil
      }
      group.addTask {
        try await self.follow(service) { event in
          show(event)
          prompter.handle(event)
        }
      }
      defer { group.cancelAll() }
      for try await case let summary? in group { return summary }
      throw ConnectionError.gone
    }
  }

  private func follow(
    _ service: any CoordinatorService,
    _ show: (TurnEvent) -> Void
  ) async throws -> TurnSummary {
    var summary: TurnSummary?
    // Unstructured: ends with the turn.
    let progress = Task { await ProgressLine(service, session: request.session).run() }
    defer { progress.cancel() }
    for try await event in try await service.prompt(request) {
      show(event)
      switch event {
      case .accepted(let accepted, _): turn.withLock { $0 = accepted }
      // An interrupted turn may end first; that is not the answer to this question.
      case .ended(let ended) where ended.turn == turn.withLock({ $0 }): summary = ended
      default: break
      }
    }
    // Every turn ends with its summary; without one, the stream broke off.
    guard let summary else { throw ConnectionError.gone }
    return summary
  }

  private func show() -> @Sendable (TurnEvent) -> Void {
    guard json else {
      return TurnPrinter(Terminal(), showsNotes: verbose, answersOneQuestion: true).show
    }
    let isAttended = isAttended
    return { event in
      // Every event can be written: only numbers that are not finite have no form in JSON.
      guard let line = try? JSONOutput.line(event) else { return }
      Terminal.show(json: line)
      // A person who decides needs to know about what.
      if isAttended, case .approvalAsked(let record) = event { Terminal().note(record.question) }
    }
  }
}
