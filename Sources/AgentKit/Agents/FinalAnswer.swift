/// An error that a tool throws to end the turn with an answer.
///
/// It is the exit of a loop in which tool calls are required. In a standalone session, the caller
/// receives it inside a ``LanguageModelSession/ToolCallError``. Under orchestrator, its content
/// becomes the response of the turn.
///
/// ```swift
/// struct Finish: Tool {
///   @Generable
///   struct Arguments {
///     var summary: String
///   }
///
///   let name = "finish"
///   let description = "Ends the work with a summary."
///
///   func call(arguments: Arguments) async throws -> Never {
///     throw FinalAnswer(arguments.summary)
///   }
/// }
/// ```
public struct FinalAnswer: Error, Sendable {
  /// The answer for the person.
  public let content: String

  /// Creates an answer.
  public init(_ content: String) {
    self.content = content
  }
}
