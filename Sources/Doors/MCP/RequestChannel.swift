import MCP
import Transcripts

/// The way back to the client while one of its requests is answered.
struct RequestChannel: Sendable {
  let context: ServerSession.RequestContext
  /// Reports that the request goes on, if the client wants to know.
  let report: @Sendable (String) -> Void
  /// Tells the client of a change that it listens for, by a method and its parameters.
  let notify: @Sendable (String, [(String, GeneratedContent)]) -> Void
  /// Has the client show a form to a person, where it had a handshake; when the task is cancelled,
  /// the form is taken back.
  let ask: @Sendable (Elicitation) async -> ElicitationAnswer

  /// Whether forms are shown while a request goes on, rather than between a call and its
  /// repetition.
  var asksMeanwhile: Bool { context.version.hasHandshake && context.canElicit }
}
