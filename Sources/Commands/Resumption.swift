import Coordination
import Transcripts

extension Coordinator {
  /// Finishes the turns during which an earlier coordinator ended, and names their sessions.
  ///
  /// The results are in the transcripts.
  /// - Parameters:
  ///   - session: The session that the chat takes care of.
  ///   - isAttended: Whether a person can be asked.
  func resumeInterrupted(
    except session: String?,
    isAttended: Bool,
    _ terminal: Terminal
  ) async {
    do {
      try await conversations.resumeInterrupted(
        except: session,
        isAttended: isAttended
      ) { session, event in
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
      // The turns are unchanged, for the next coordinator.
    } catch {
      terminal.note("orchestrator: \(error)")
    }
  }
}
