import TestSupport
import Testing
import Wire

@Suite struct `Frames` {
  @Test func `the bytes of a frame are its length, its kind, its payload and a newline`() {
    let frame = Frame(kind: .last, payload: Array("{}".utf8))
    #expect(frame.bytes == [0, 0, 0, 2, 3, 0x7B, 0x7D, 0x0A])
  }

  @Test func `the length is written with its highest byte first`() {
    let frame = Frame(kind: .piece, payload: [UInt8](repeating: 0x20, count: 0x1234))
    #expect(Array(frame.bytes.prefix(5)) == [0, 0, 0x12, 0x34, 2])
  }

  @Test func `an empty frame is six bytes`() throws {
    let bytes = Frame(kind: .control, payload: []).bytes
    #expect(bytes == [0, 0, 0, 0, 1, 0x0A])
    #expect(try frames(in: [bytes[...]]) == [Frame(kind: .control, payload: [])])
  }

  @Test func `frames that come at once are taken apart`() throws {
    #expect(try frames(in: [Self.stream[...]]) == Self.samples)
  }

  @Test(arguments: 0..<50) func `frames come through any division`(seed: UInt64) throws {
    var random = Seeded(seed)
    #expect(try frames(in: random.divide(Self.stream, upTo: 700)) == Self.samples)
  }

  @Test func `a frame that is cut short anywhere is waited for, and its end is a breach`() throws {
    let bytes = Frame(kind: .control, payload: Array(#"{"ping":{"_0":7}}"#.utf8)).bytes
    for length in 1..<bytes.count {
      var decoder = FrameDecoder()
      decoder.append(bytes[..<length])
      #expect(try decoder.next() == nil)
      #expect(throws: WireBreach.endInsideFrame(bytes: length)) { try decoder.finish() }
      decoder.append(bytes[length...])
      #expect(try decoder.next() != nil)
      try decoder.finish()
    }
  }

  @Test func `a stream that ends between two frames ends well`() throws {
    var decoder = FrameDecoder()
    try decoder.finish()
    decoder.append(Self.stream)
    while try decoder.next() != nil {}
    try decoder.finish()
  }

  @Test func `a piece of exactly the limit is taken`() throws {
    let frame = Frame(kind: .piece, payload: [UInt8](repeating: 1, count: WireLimits.piece))
    #expect(try frames(in: [frame.bytes[...]]) == [frame])
  }

  @Test func `a frame that is too long is refused before it has come`() {
    let header: [UInt8] = [0, 1, 0, 1, 2]
    let breach = WireBreach.frameTooLong(length: WireLimits.piece + 1, limit: WireLimits.piece)
    #expect(throws: breach) { try frames(in: [header[...]]) }
  }

  @Test func `the longest length that can be written is refused`() {
    let header: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 2]
    let breach = WireBreach.frameTooLong(length: 0xFFFF_FFFF, limit: WireLimits.piece)
    #expect(throws: breach) { try frames(in: [header[...]]) }
  }

  @Test func `a control frame over its own limit is refused`() throws {
    let largest = Frame(kind: .control, payload: [UInt8](repeating: 1, count: WireLimits.control))
    #expect(try frames(in: [largest.bytes[...]]) == [largest])
    let larger = Frame(kind: .control, payload: [UInt8](repeating: 1, count: 1001))
    #expect(throws: WireBreach.frameTooLong(length: 1001, limit: 1000)) {
      try frames(in: [larger.bytes[...]])
    }
  }

  @Test(arguments: [0, 4, 0x0A, 0xFF] as [UInt8])
  func `a frame of an unknown kind is refused`(kind: UInt8) {
    let bytes: [UInt8] = [0, 0, 0, 0, kind, 0x0A]
    #expect(throws: WireBreach.unknownKind(kind)) { try frames(in: [bytes[...]]) }
  }

  @Test func `a frame without its newline is refused`() {
    var bytes = Frame(kind: .last, payload: [0x7B, 0x7D]).bytes
    bytes[7] = 0x0D
    #expect(throws: WireBreach.noNewline(found: 0x0D)) { try frames(in: [bytes[...]]) }
  }

  @Test func `a breach stays a breach when more comes`() {
    var decoder = FrameDecoder()
    decoder.append([0, 0, 0, 0, 9])
    #expect(throws: WireBreach.unknownKind(9)) { try decoder.next() }
    decoder.append(Self.stream)
    #expect(throws: WireBreach.unknownKind(9)) { try decoder.next() }
  }

  private static let samples = [
    Frame(kind: .control, payload: Array("ping".utf8)),
    Frame(kind: .piece, payload: (0..<3000).map { UInt8(truncatingIfNeeded: $0) }),
    Frame(kind: .control, payload: []),
    // Newlines and lengths inside a payload must not be mistaken for those of the frame.
    Frame(kind: .last, payload: [0x0A, 0, 0, 0, 1, 1, 0x0A, 0x0A]),
    Frame(kind: .last, payload: []),
  ]

  private static let stream = samples.flatMap(\.bytes)

  private func frames(in slices: some Sequence<ArraySlice<UInt8>>) throws -> [Frame] {
    var decoder = FrameDecoder()
    var frames: [Frame] = []
    for slice in slices {
      decoder.append(slice)
      while let frame = try decoder.next() { frames.append(frame) }
    }
    return frames
  }
}
