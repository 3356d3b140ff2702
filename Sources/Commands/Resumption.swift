import AgentKit
import Coordination

extension Coordinator {
  /// Finishes the turns in which an earlier coordinator ended, and says which; what they come to is in
  /// their transcripts.
  /// - Parameter session: The one to which the chat sees.
  func resumeInterrupted(except session: String?, _ terminal: Terminal) async {
    do {
      try await conversations.resumeInterrupted(except: session) { session, event in
        switch event {
        case .resumed(_, _, let prompt):
          let words = TurnPrinter.oneLine(prompt)
          terminal.note("session '\(session)': resuming an interrupted turn: \(words)")
        case .trouble(let problem): terminal.note("session '\(session)': \(problem)")
        case .ended(let summary):
          terminal.note("session '\(session)': the interrupted turn ended: \(summary.exit)")
        default: break
        }
      }
    } catch is CancellationError {
      // They are as they were, for the next coordinator.
    } catch {
      terminal.note("orchestrator: \(error)")
    }
  }
}
