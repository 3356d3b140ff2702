import Coordination
import Coordinator
import Doors

extension Coordinator {
  /// Asks and returns how the turn ended; `nil` when it has not within the patience.
  func ask(
    _ prompt: String,
    in session: String,
    caps: GivenCaps? = nil,
    patience: Duration
  ) async throws -> TurnSummary? {
    let request = PromptRequest(session: session, prompt: prompt, caps: caps)
    return try await withThrowingTaskGroup(of: TurnSummary?.self) { [client] group in
      group.addTask {
        var end: TurnSummary?
        for try await event in try await client.prompt(request) {
          if case .ended(let summary) = event { end = summary }
        }
        return end
      }
      group.addTask {
        try await Task.sleep(for: patience)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }
}
