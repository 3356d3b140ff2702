import NIOCore

/// What a client may use; every connection carries one request.
struct ConnectionLimits: Sendable {
  /// The bytes of the request's header fields.
  var headerBytes = 16 << 10
  var bodyBytes: Int
  /// The connections whose request is arriving; the oldest gives way to the next.
  var arriving: Int
  /// The requests that are answered at once.
  var answering: Int
  /// How many of those may be requests that need no token.
  var open: Int { max(1, answering / 4) }
  /// How long a request may take to arrive.
  var arrival = TimeAmount.seconds(10)
  /// How long a client may take to read a piece of the answer.
  var reading = TimeAmount.seconds(30)
  /// How long a client that was answered may take to close the connection.
  var lingering = TimeAmount.seconds(1)

  /// For the socket, which belongs to the user alone.
  static let user = ConnectionLimits(
    bodyBytes: 16 << 20,
    arriving: .max,
    answering: .max,
    arrival: .seconds(30)
  )
  /// For the network.
  ///
  /// An answer may be a stream on which nothing comes for hours, and costs little; how many turns go
  /// on is bounded elsewhere.
  static let network = ConnectionLimits(bodyBytes: 1 << 20, arriving: 64, answering: 256)
}
