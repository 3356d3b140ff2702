import AgentKit

/// Parses an event stream, as HTML defines it, from pieces of any size into whole events' data.
struct EventStream {
  typealias Fault = ChatCompletionsLanguageModel.RequestError

  /// The limit of one line or event, far above any server's chunk.
  private static let limit = 1 << 20

  private var line: [UInt8] = []
  private var data: [UInt8]?
  private var isAfterReturn = false
  private var isAtStart = true

  /// Takes a piece and returns the data of each event that it completes.
  mutating func take(_ bytes: [UInt8]) throws(Fault) -> [String] {
    var events: [String] = []
    for byte in bytes {
      // CR LF is a single line end, and so is either of them alone.
      if byte == UInt8(ascii: "\n"), isAfterReturn {
        isAfterReturn = false
        continue
      }
      isAfterReturn = byte == UInt8(ascii: "\r")
      guard byte == UInt8(ascii: "\n") || isAfterReturn else {
        line.append(byte)
        guard line.count <= Self.limit else {
          throw .invalidStreamData("a line is longer than a mebibyte")
        }
        continue
      }
      if let event = try endLine() { events.append(event) }
    }
    return events
  }

  /// Returns the data of an event that the end of the stream completed instead of an empty line.
  mutating func finish() throws(Fault) -> String? {
    if !line.isEmpty, let event = try endLine() { return event }
    return dispatch()
  }

  private mutating func endLine() throws(Fault) -> String? {
    defer { line = [] }
    if isAtStart {
      isAtStart = false
      if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    }
    if line.isEmpty { return dispatch() }
    let name = line.prefix { $0 != UInt8(ascii: ":") }
    // A line that begins with a colon is a comment that keeps the connection alive. Older versions
    // of llama-server report an error midway under a field name of its own.
    let isError = name.elementsEqual("error".utf8)
    guard isError || name.elementsEqual("data".utf8) else { return nil }
    var value = line.dropFirst(name.count + 1)
    if value.first == UInt8(ascii: " ") { value.removeFirst() }
    if isError { value = ArraySlice(#"{"error":"#.utf8) + value + "}".utf8 }
    data = data.map { $0 + [UInt8(ascii: "\n")] + value } ?? Array(value)
    guard data?.count ?? 0 <= Self.limit else {
      throw .invalidStreamData("an event is longer than a mebibyte")
    }
    return nil
  }

  private mutating func dispatch() -> String? {
    defer { data = nil }
    return data.map { String(decoding: $0, as: UTF8.self) }
  }
}
