/// An error that refuses one call and lets the turn continue; the model reads why.
///
/// Throw it from `onToolCall`, before the tool runs, or from the tool itself. Other calls of the
/// round are not affected. Any other error that a hook or a tool throws ends the turn, as in
/// FoundationModels, which has no way to refuse a single call.
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
  /// The reason, in words for the model.
  public let reason: String

  /// Creates a rejection.
  public init(_ reason: String) {
    self.reason = reason
  }
}
