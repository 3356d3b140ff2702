import Coordination
import Journal

/// The holder of the baton in a session that is being opened.
struct SessionHolder: Sendable, Equatable {
  let session: String
  let holder: String
  /// The agent requested to begin a new session; `nil` if none was.
  let beginner: String?

  /// The greeting of a chat.
  var greeting: String {
    "session '\(session)', \(holder) holds the baton; Ctrl-D ends the chat"
  }

  /// The note that another agent than the requested one goes on; `nil` if none was requested.
  var correction: String? {
    guard let beginner, beginner != holder else { return nil }
    return Conversation.correction(of: session, goingOnWith: holder, beginner: beginner)
  }
}

extension Coordinator {
  /// Returns the holder of a session's baton; `nil` when there is no such session.
  func holder(of session: String) async throws -> SessionHolder? {
    let reader = JournalReader(journal)
    guard let name = try await reader.journaledName(of: session),
      let record = try await reader.conversation(named: name)
    else { return nil }
    return SessionHolder(session: session, holder: record.holder, beginner: settings.beginner)
  }
}
