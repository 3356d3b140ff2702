/// Turns the body of a response in pieces into what its events carry.
package struct ServerSentEvents: Sendable {
  private var line: [UInt8] = []
  private var data: [UInt8] = []
  private var hasData = false

  private let limit: Int

  /// - Parameter maximumEvent: The most bytes of an event; it bounds what an endless event takes
  ///   while it is read.
  package init(maximumEvent: Int = JSONRPCLineDecoder.maximumLine) {
    limit = maximumEvent
  }

  /// Takes a piece of the body.
  ///
  /// - Returns: The data of the events that are complete with it.
  package mutating func take(
    _ bytes: some Sequence<UInt8>
  ) throws(JSONRPCLineDecoder.LineTooLong) -> [[UInt8]] {
    var events: [[UInt8]] = []
    for byte in bytes {
      guard byte == UInt8(ascii: "\n") else {
        line.append(byte)
        guard line.count + data.count <= limit else {
          throw JSONRPCLineDecoder.LineTooLong(limit: limit)
        }
        continue
      }
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      if line.isEmpty {
        if hasData { events.append(data) }
        (data, hasData) = ([], false)
      } else if line.starts(with: "data:".utf8) {
        if hasData { data.append(UInt8(ascii: "\n")) }
        data += line.dropFirst(line.dropFirst(5).first == UInt8(ascii: " ") ? 6 : 5)
        hasData = true
      }
      line.removeAll(keepingCapacity: line.count < 65_536)
    }
    return events
  }
}
