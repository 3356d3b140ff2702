/// Reads server-sent events, as HTML defines them, from pieces of a body of any size.
package struct ServerSentEvents: Sendable {
  /// A line or an event has more bytes than may be kept of it.
  package struct TooLong: Error {
    package let limit: Int
  }

  private let limit: Int
  private let readsErrors: Bool
  private var line: [UInt8] = []
  private var data: [UInt8]?
  private var isAfterReturn = false
  private var isAtStart = true

  /// - Parameters:
  ///   - limit: The most bytes of an event's data and of the line after it, together.
  ///   - readsErrors: Whether a field `error`, which HTML does not know, is an event's data
  ///     `{"error": …}`: older versions of llama-server report an error midway in this way.
  package init(limit: Int, readsErrors: Bool = false) {
    self.limit = limit
    self.readsErrors = readsErrors
  }

  /// Takes a piece and returns the data of each event that it completes.
  package mutating func take(_ bytes: some Sequence<UInt8>) throws(TooLong) -> [[UInt8]] {
    var events: [[UInt8]] = []
    for byte in bytes {
      // CR LF is a single line end, and so is either of them alone.
      if byte == UInt8(ascii: "\n"), isAfterReturn {
        isAfterReturn = false
        continue
      }
      isAfterReturn = byte == UInt8(ascii: "\r")
      guard byte == UInt8(ascii: "\n") || isAfterReturn else {
        line.append(byte)
        guard line.count + (data?.count ?? 0) <= limit else { throw TooLong(limit: limit) }
        continue
      }
      if let event = endLine() { events.append(event) }
    }
    return events
  }

  /// Returns the data of an event that the end of the stream completed instead of an empty line.
  package mutating func finish() -> [UInt8]? {
    if !line.isEmpty, let event = endLine() { return event }
    return dispatch()
  }

  private mutating func endLine() -> [UInt8]? {
    defer { line.removeAll(keepingCapacity: line.count < 65_536) }
    if isAtStart {
      isAtStart = false
      if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    }
    if line.isEmpty { return dispatch() }
    let name = line.prefix { $0 != UInt8(ascii: ":") }
    // A line that begins with a colon is a comment that keeps the connection alive.
    let isError = readsErrors && name.elementsEqual("error".utf8)
    guard isError || name.elementsEqual("data".utf8) else { return nil }
    var value = line.dropFirst(name.count + 1)
    if value.first == UInt8(ascii: " ") { value.removeFirst() }
    if isError { value = ArraySlice(#"{"error":"#.utf8) + value + "}".utf8 }
    // In place: an event may have very many lines.
    if data == nil {
      data = Array(value)
    } else {
      data?.append(UInt8(ascii: "\n"))
      data?.append(contentsOf: value)
    }
    return nil
  }

  private mutating func dispatch() -> [UInt8]? {
    defer { data = nil }
    return data
  }
}
