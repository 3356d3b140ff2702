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
  }

  @Test func `are refused beyond their bound while they are still being read`() throws {
    var events = ServerSentEvents(limit: 100)
    #expect(try events.take("data: \(String(repeating: "x", count: 90))".utf8).isEmpty)
    #expect(throws: ServerSentEvents.TooLong.self) { try events.take("0123456789".utf8) }
  }
}
