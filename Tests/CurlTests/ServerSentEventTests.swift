import Curl
import Testing

@Suite struct `Events of a response` {
  private func data(_ text: String, by size: Int) throws -> [String] {
    var events = ServerSentEvents(limit: 1000)
    var data: [String] = []
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      for event in try events.take(bytes[start..<min(start + size, bytes.count)]) {
        data.append(String(decoding: event, as: UTF8.self))
      }
    }
    return data
  }

  @Test(arguments: [1, 2, 7, 1000])
  func `are read however they are divided`(size: Int) throws {
    let text = """
      : keep alive\r
      \r
      event: message\r
      id: 1\r
      data: {"a": "ä"}\r
      \r
      data:one
      data: two

      data: not complete
      """
    #expect(try data(text, by: size) == [#"{"a": "ä"}"#, "one\ntwo"])
    #expect(try data("\u{FEFF}data: one\rdata\r\rdata:two\r\r", by: size) == ["one\n", "two"])
  }

  @Test func `are complete at the end of the stream, whatever is missing`() throws {
    var events = ServerSentEvents(limit: 1000)
    #expect(try events.take("data: one\ndata: two".utf8).isEmpty)
    #expect(events.finish() == Array("one\ntwo".utf8))
    #expect(events.finish() == nil)
  }

  @Test func `have a field for errors only where a server is known to send one`() throws {
    let text = "error: 1\ndata: 2\n\n"
    var (plain, reading) = (
      ServerSentEvents(limit: 100), ServerSentEvents(limit: 100, readsErrors: true)
    )
    #expect(try plain.take(text.utf8) == [Array("2".utf8)])
    #expect(try reading.take(text.utf8) == [Array("{\"error\":1}\n2".utf8)])
  }

  @Test func `are refused beyond their bound while they are still being read`() throws {
    var events = ServerSentEvents(limit: 100)
    #expect(try events.take("data: \(String(repeating: "x", count: 90))".utf8).isEmpty)
    #expect(throws: ServerSentEvents.TooLong.self) { try events.take("0123456789".utf8) }
  }

  @Test func `are refused beyond their bound in lines of any length`() throws {
    var events = ServerSentEvents(limit: 100)
    #expect(try events.take(String(repeating: "data:\n", count: 95).utf8).isEmpty)
    #expect(throws: ServerSentEvents.TooLong.self) {
      try events.take(String(repeating: "data:\n", count: 10).utf8)
    }
  }

  /// If each line copied those before it, this would copy 20 GB.
  @Test(.timeLimit(.minutes(1))) func `are read in time that grows with their length`() throws {
    var events = ServerSentEvents(limit: 1_000_000)
    let lines = String(repeating: "data:\n", count: 200_000)
    #expect(try events.take((lines + "\n").utf8).map(\.count) == [199_999])
  }
}
