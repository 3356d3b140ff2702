import Coordination
import Journal

/// Who holds the baton of a session that somebody opens.
struct SessionHolder: Sendable, Equatable {
  let session: String
  let holder: String
  /// The agent that was to begin a new session, if one was named.
  let beginner: String?

  /// What a chat begins with.
  var greeting: String {
    "session '\(session)', \(holder) holds the baton; Ctrl-D ends the chat"
  }

  /// What is said where another agent was named; `nil` where none was.
  var correction: String? {
    guard let beginner, beginner != holder else { return nil }
    return Conversation.correction(of: session, goingOnWith: holder, beginner: beginner)
  }
}

extension Coordinator {
  /// Who holds the baton of a session; `nil` when there is no such session.
  func holder(of session: String) async throws -> SessionHolder? {
    let reader = JournalReader(journal)
    guard let name = try await reader.journaledName(of: session),
      let record = try await reader.conversation(named: name)
    else { return nil }
    return SessionHolder(session: session, holder: record.holder, beginner: settings.beginner)
  }
}
