/// Thrown by a tool to end the turn with an answer: the exit of a loop in which calls are required.
///
/// In a session on its own the caller sees it inside a `LanguageModelSession.ToolCallError`. Under
/// orchestrator its content becomes the response of the turn.
public struct FinalAnswer: Error, Sendable {
  /// What the person is answered.
  public let content: String

  /// Makes an answer.
  public init(_ content: String) {
    self.content = content
  }
}
