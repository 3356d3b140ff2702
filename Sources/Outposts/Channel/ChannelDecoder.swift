import Wire

/// Turns what crosses the channel, however divided, into messages of the other end and frames of the
/// lanes.
struct ChannelDecoder<Message: WireMessage>: Sendable {
  enum Event: Sendable {
    case message(Message)
    /// A frame of a worker's pipe.
    case worker(ChannelFrame.Lane, Frame)
    case log(ChannelFrame.Lane, [UInt8])
    case end(ChannelFrame.Lane, Death)
    /// A piece of a file.
    case file(ChannelFrame.Lane, [UInt8])
  }

  private var frames = FrameDecoder()
  private var messages = MessageDecoder<Message>()
  /// The epoch that all frames must have; `nil` adopts that of the first.
  private(set) var epoch: UInt32?

  init(epoch: UInt32?) {
    self.epoch = epoch
  }

  mutating func append(_ bytes: some Collection<UInt8>) { frames.append(bytes) }

  /// Expects another epoch from now on.
  mutating func expect(epoch: UInt32) { self.epoch = epoch }

  /// Returns the next event; `nil` when more bytes are needed.
  mutating func next() throws(WireBreach) -> Event? {
    while true {
      if let message = try messages.next() { return .message(message) }
      guard let outer = try frames.next() else { return nil }
      let frame = try ChannelFrame(outer)
      if epoch == nil { epoch = frame.epoch }
      guard frame.epoch == epoch else {
        throw .outOfTurn("a frame of the epoch \(frame.epoch) in the epoch \(epoch ?? 0)")
      }
      switch frame.stream {
      case .outpost: messages.append(frame.frame.bytes)
      case .worker: return .worker(frame.lane, frame.frame)
      case .log: return .log(frame.lane, frame.frame.payload)
      case .file: return .file(frame.lane, frame.frame.payload)
      case .end:
        var decoder = MessageDecoder<WorkerEnd>()
        decoder.append(frame.frame.bytes)
        guard let end = try decoder.next() else {
          throw .outOfTurn("the end of a worker in several frames")
        }
        return .end(frame.lane, end.death)
      }
    }
  }
}
