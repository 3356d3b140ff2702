import Journal
import Transcripts

/// Names the span in which servers are asked in a turn, as the `traceparent` header of the W3C's
/// Trace Context has it; `nil` where there is no trace.
package typealias Tracing = @Sendable (TracedTurn) -> String?

/// What the name of a turn's span is made of.
package struct TracedTurn: Sendable {
  package let id: Int64
  package let session: String
  /// The identity of the prompt that began it.
  package let prompt: String
  /// The header with which it was asked for.
  package let given: String?

  init?(_ state: TurnState, session: String) {
    guard let prompt = state.promptID else { return nil }
    (id, self.session, self.prompt, given) =
      (state.id, session, prompt, state.options?.traceparent)
  }
}
