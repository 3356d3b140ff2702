import Journal
import Transcripts

/// Names the spans in which servers are asked, as the `traceparent` header of the W3C's Trace Context
/// has them.
package struct Tracing: Sendable {
  /// Names the span of a turn, for servers of models; `nil` where there is no trace.
  let turn: @Sendable (TracedTurn) -> String?
  /// Names the span of a call, for its MCP server.
  let call: @Sendable (TracedCall) -> String

  package init(
    turn: @escaping @Sendable (TracedTurn) -> String?,
    call: @escaping @Sendable (TracedCall) -> String
  ) {
    (self.turn, self.call) = (turn, call)
  }

  /// Passes on the header with which a turn was asked for.
  package static let given = Tracing(turn: \.given, call: \.turn)
}

/// What the name of a call's span is made of.
package struct TracedCall: Sendable {
  /// The header of its turn.
  package let turn: String
  /// Where the log has the call.
  package let place: CallPlace
}

/// Where the log has a call.
package struct CallPlace: Sendable, Equatable {
  /// The fact with the calls of its round.
  package let fact: Int64
  /// Its index among them.
  package let index: Int
}

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
