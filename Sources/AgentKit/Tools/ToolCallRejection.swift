/// Thrown to refuse one call and let the turn go on: the model reads why, and may do something else.
///
/// Throw it from `onToolCall`, before the tool runs, or from the tool itself. Other calls of the
/// round are not touched. Every other error that a hook or a tool throws ends the turn, as in
/// FoundationModels, which has no way to refuse one call.
///
/// ```swift
/// .onToolCall { call in
///   if call.toolName == "delete_file", isProtected {
///     throw ToolCallRejection("The file is protected. Ask for another one.")
///   }
/// }
/// ```
///
/// The tool's output is then an object with the `status` "rejected", the name of the `tool` and the
/// `reason`.
public struct ToolCallRejection: Error, Sendable {
  /// Why, in words for the model.
  public let reason: String

  /// Makes a refusal.
  public init(_ reason: String) {
    self.reason = reason
  }
}
