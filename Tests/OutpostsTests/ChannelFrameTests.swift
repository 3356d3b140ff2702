import Testing
import Wire

@testable import Outposts

@Suite struct `A frame of the channel` {
  private let lane = ChannelFrame.Lane(RunID("title-0123456789"))

  @Test(arguments: [Frame.Kind.control, .piece, .last])
  func `arrives as the frame of a lane that it was`(kind: Frame.Kind) throws {
    let frame = Frame(kind: kind, payload: Array("{\"a\":1}\n".utf8))
    let sent = ChannelFrame(.worker, epoch: 0xFEDC_BA98, lane: lane, frame)
    var decoder = FrameDecoder()
    decoder.append(sent.bytes)
    #expect(try decoder.next().map(ChannelFrame.init) == sent)
  }

  @Test func `is divided where it and its head would exceed a frame`() throws {
    let payload = (0..<WireLimits.piece).map { UInt8(truncatingIfNeeded: $0) }
    let whole = [Frame(kind: .piece, payload: payload), Frame(kind: .last, payload: payload)]
    let fit = ChannelFrame.fit(whole, lane: lane)
    #expect(fit.map(\.kind) == [.piece, .piece, .piece, .last])
    #expect(fit.flatMap(\.payload) == payload + payload)
    var decoder = FrameDecoder()
    for frame in fit {
      decoder.append(ChannelFrame(.worker, epoch: 1, lane: lane, frame).bytes)
      #expect(try decoder.next() != nil)
    }
  }

  @Test func `that is urgent and too long for that is a message like others`() {
    let long = Frame(kind: .control, payload: [UInt8](repeating: 1, count: WireLimits.control))
    #expect(ChannelFrame.fit([long], lane: lane) == [Frame(kind: .last, payload: long.payload)])
  }

  @Test(
    arguments: [[], [1, 0, 0, 0, 0], [9, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 4, 65]] as [[UInt8]]
  )
  func `without a whole head is refused`(payload: [UInt8]) {
    #expect(throws: WireBreach.self) {
      try ChannelFrame(Frame(kind: .last, payload: payload))
    }
  }
}
