extension TraceParent {
  /// Returns the header with which servers are asked in a turn.
  /// - Parameters:
  ///   - prompt: The identity of the prompt that began the turn.
  ///   - given: The header with which the turn was asked for.
  ///   - isTraced: Whether spans of the turn are made; the servers' then hang below its own.
  /// - Returns: `nil` where there is no trace to be part of.
  package static func ofTurn(
    _ turn: Int64,
    session: String,
    prompt: String,
    given: String?,
    isTraced: Bool
  ) -> String? {
    let parent = given.flatMap(TraceParent.init)
    guard isTraced else { return parent?.header }
    let trace =
      parent?.trace ?? SpanIdentity.trace(session: session, turn: turn, prompt: prompt)
    let root = SpanIdentity.span("turn", in: trace, turn)
    return TraceParent(trace: trace, parent: root, flags: parent?.flags ?? 1).header
  }

  /// Returns the header with which the server of a call is asked.
  /// - Parameters:
  ///   - index: The place of the call among those of its round.
  ///   - fact: The fact that has them.
  ///   - header: The header of the call's turn.
  ///   - isTraced: Whether spans are made; the server's then hang below that of the call.
  package static func ofCall(
    _ index: Int,
    of fact: Int64,
    turn header: String,
    isTraced: Bool
  ) -> String {
    guard isTraced, let turn = TraceParent(header) else { return header }
    let call = SpanIdentity.call(index, of: fact, in: turn.trace)
    return TraceParent(trace: turn.trace, parent: call, flags: turn.flags).header
  }

  /// The header, in the version that this program knows.
  private var header: String {
    let flags = String(flags, radix: 16)
    return "00-\(trace.bytes.hex)-\(parent.bytes.hex)-\(flags.count < 2 ? "0" : "")\(flags)"
  }
}
