import Coordination
import Logging

extension Coordinator {
  /// Finishes the turns during which an earlier coordinator ended; the log names their sessions.
  /// - Parameters:
  ///   - session: The session that a chat takes care of.
  ///   - isAttended: Whether a person can be asked.
  package func resumeInterrupted(except session: String?, isAttended: Bool) async {
    do {
      try await sessions.resumeInterrupted(
        except: session,
        isAttended: isAttended
      ) { [events, logger] session, event in
        events.publish(event, session: session)
        switch event {
        case .resumed(_, _, let prompt):
          let words = prompt.split(whereSeparator: \.isNewline).joined(separator: " / ")
          logger.notice(
            "session '\(session)': resuming an interrupted turn: \(words.prefix(160))"
          )
        case .trouble(let problem): logger.notice("session '\(session)': \(problem)")
        case .ended(let summary):
          logger.notice("session '\(session)': the interrupted turn ended: \(summary.exit)")
        default: break
        }
      }
    } catch is CancellationError {
      // The turns are unchanged, for the next coordinator.
    } catch {
      logger.error("\(error)")
    }
  }
}
