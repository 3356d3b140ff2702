import AgentKit
import Foundation
import Testing
import Wire

@Suite struct `Messages` {
  @Test func `a small urgent message is one control frame`() throws {
    let frames = try MessageEncoder().frames(of: ToWorker.ping(7))
    #expect(frames == [Frame(kind: .control, payload: Array(#"{"ping":{"_0":7}}"#.utf8))])
  }

  @Test func `as many bytes of images as a conversation may have fit into one message`() throws {
    let image = Transcript.ImageAttachment(imageData: Data(count: ImageFile.maximumBytes))
    let segment = Transcript.Segment.attachment(.init(content: .image(image)))
    let prompt = try RawEntry(.prompt(.init(segments: [segment])))
    let order = TurnOrder(turn: 1, kept: 0, added: [prompt])
    let bytes = try MessageEncoder().frames(of: ToWorker.turn(order)).reduce(0) {
      $0 + $1.payload.count
    }
    // A million bytes are left for text.
    #expect(bytes < WireLimits.message - 1_000_000)
  }

  @Test func `an entry of the largest size fits into a message, whatever its text`() throws {
    let text = String(repeating: "\"", count: (EntryLimit.bytes - 4096) / 2)
    let entry = try RawEntry(.prompt(.init(segments: [.text(.init(content: text))])))
    #expect(EntryLimit.bytes - 4096..<EntryLimit.bytes ~= entry.size)
    let message = ToWorker.history(kept: 0, added: [entry])
    #expect(try messages(ToWorker.self, in: MessageEncoder().frames(of: message)) == [message])
  }

  @Test func `an entry comes with the bytes that it was written with`() throws {
    let written = try RawEntry(.prompt(.init(segments: [.text(.init(content: "crane"))])))
    let spaced = try RawEntry(json: "{ " + written.json.dropFirst().dropLast() + "\n}")
    let message = FromWorker.request(id: 1, turn: 1, .record([spaced], nil))
    guard
      case .request(_, _, .record(let entries, _, _))? = try messages(
        FromWorker.self,
        in: MessageEncoder().frames(of: message)
      ).first
    else {
      Issue.record("it is another message")
      return
    }
    #expect(entries.map(\.json) == [spaced.json])
  }

  @Test func `a message that may wait is no control frame`() throws {
    let message = FromWorker.request(id: 1, turn: 1, .admission(.round))
    #expect(try MessageEncoder().frames(of: message).map(\.kind) == [.last])
  }

  @Test func `an urgent message that is too long for a control frame goes as data`() throws {
    let message = ToWorker.cancel(turn: 1, cap: String(repeating: "c", count: WireLimits.control))
    #expect(try MessageEncoder().frames(of: message).map(\.kind) == [.last])
    #expect(try messages(ToWorker.self, in: MessageEncoder().frames(of: message)) == [message])
  }

  @Test func `a long message goes in pieces and comes whole`() throws {
    let message = long(bytes: 3 * WireLimits.piece)
    let frames = try MessageEncoder().frames(of: message)
    #expect(frames.map(\.kind) == [.piece, .piece, .piece, .last])
    #expect(frames.allSatisfy { $0.payload.count <= WireLimits.piece })
    #expect(try messages(FromWorker.self, in: frames) == [message])
  }

  @Test func `control frames between the pieces of a message come before it`() throws {
    let message = long(bytes: 2 * WireLimits.piece)
    var frames = try MessageEncoder().frames(of: message)
    for place in (0..<frames.count).reversed() {
      frames.insert(contentsOf: try MessageEncoder().frames(of: FromWorker.pong(place)), at: place)
    }
    #expect(
      try messages(FromWorker.self, in: frames) == [.pong(0), .pong(1), .pong(2), message]
    )
  }

  @Test func `a message of exactly the bound is taken and one byte more is not`() throws {
    let padding = WireLimits.message - (try payload(of: long(bytes: 0)).count)
    let largest = long(bytes: padding)
    let frames = try MessageEncoder().frames(of: largest)
    #expect(try messages(FromWorker.self, in: frames) == [largest])
    #expect(throws: WireBreach.messageTooLong(limit: WireLimits.message)) {
      try MessageEncoder().frames(of: long(bytes: padding + 1))
    }
  }

  @Test func `pieces that come to more than the bound are refused before the last`() throws {
    let piece = Frame(kind: .piece, payload: [UInt8](repeating: 0x20, count: WireLimits.piece))
    var decoder = MessageDecoder<FromWorker>()
    for _ in 0..<WireLimits.message / WireLimits.piece {
      decoder.append(piece.bytes)
      #expect(try decoder.next() == nil)
    }
    decoder.append(Frame(kind: .piece, payload: [0x20]).bytes)
    #expect(throws: WireBreach.messageTooLong(limit: WireLimits.message)) { try decoder.next() }
  }

  @Test func `a stream that ends between the pieces of a message is a breach`() throws {
    var decoder = MessageDecoder<FromWorker>()
    decoder.append(Frame(kind: .piece, payload: [0x7B]).bytes)
    #expect(try decoder.next() == nil)
    #expect(throws: WireBreach.endInsideFrame(bytes: 1)) { try decoder.finish() }
  }

  @Test(arguments: [
    "", " ", "{", "{}", "[]", "null", "7", "\u{0}", #""ping""#,
    #"{"ping":{}}"#, #"{"ping":{"_0":"seven"}}"#, #"{"ping":{"_0":1e99}}"#,
    #"{"unheardOf":{"_0":7}}"#, #"{"pong":{"_0":7}}"#, #"{"ping":{"_0":1},"cancel":{"turn":1}}"#,
    String(repeating: "[", count: 900),
  ])
  func `what is no message that this end knows is refused and not ignored`(text: String) {
    var decoder = MessageDecoder<ToWorker>()
    decoder.append(Frame(kind: .control, payload: Array(text.utf8)).bytes)
    #expect {
      try decoder.next()
    } throws: { error in
      guard case .unreadableMessage? = error as? WireBreach else { return false }
      return true
    }
  }

  @Test func `what a message says in place of a word is not repeated at length`() throws {
    let word = String(repeating: "A", count: WireLimits.piece)
    let text = #"{"exhausted":{"_0":{"bound":1,"resource":"\#(word)","tools":[]}}}"#
    var decoder = MessageDecoder<FromWorker>()
    for frame in [text.utf8.prefix(1000), text.utf8.dropFirst(1000)].enumerated() {
      decoder.append(
        Frame(kind: frame.offset == 0 ? .piece : .last, payload: Array(frame.element)).bytes
      )
    }
    let breach = #expect(throws: WireBreach.self) { try decoder.next() }
    guard case .unreadableMessage(let problem)? = breach else {
      Issue.record("\(String(describing: breach))")
      return
    }
    #expect(problem.contains("AAAA"))
    #expect(problem.utf8.count <= WireLimits.problem)
  }

  @Test func `bytes that are no UTF-8 are refused`() {
    var decoder = MessageDecoder<ToWorker>()
    decoder.append(Frame(kind: .control, payload: [0x22, 0xFF, 0xFE, 0x22]).bytes)
    #expect(throws: WireBreach.self) { try decoder.next() }
  }

  @Test func `nesting without end is refused and does not exhaust the stack`() {
    var decoder = MessageDecoder<FromWorker>()
    let payload = [UInt8](repeating: UInt8(ascii: "["), count: WireLimits.piece)
    for _ in 0..<16 { decoder.append(Frame(kind: .piece, payload: payload).bytes) }
    decoder.append(Frame(kind: .last, payload: []).bytes)
    #expect(throws: WireBreach.self) { try decoder.next() }
  }

  private func long(bytes: Int) -> FromWorker {
    let prompt = String(repeating: "x", count: bytes)
    return .request(id: 1, turn: 1, .hostTool(callID: "c", .phone(agent: "a", prompt: prompt)))
  }

  private func payload(of message: some WireMessage) throws -> [UInt8] {
    try MessageEncoder().frames(of: message).flatMap(\.payload)
  }

  private func messages<Message: WireMessage>(
    _ type: Message.Type,
    in frames: [Frame]
  ) throws -> [Message] {
    var decoder = MessageDecoder<Message>()
    var messages: [Message] = []
    for frame in frames {
      decoder.append(frame.bytes)
      while let message = try decoder.next() { messages.append(message) }
    }
    try decoder.finish()
    return messages
  }
}
