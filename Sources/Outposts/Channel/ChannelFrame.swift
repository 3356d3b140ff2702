import Wire

/// A frame of the one channel between a coordinator and an outpost: a frame of one of the streams
/// that share it, and which one that is.
struct ChannelFrame: Equatable, Sendable {
  enum Stream: UInt8, Sendable {
    /// What coordinator and outpost say to each other.
    case outpost = 1
    /// What a worker and the coordinator say to each other.
    case worker = 2
    /// What a worker or template writes to its log.
    case log = 3
    /// How a worker ended.
    case end = 4
    /// A file that is sent over, under its hash.
    case file = 5
  }

  /// The streams of one name take turns with those of others, and are in order among themselves.
  struct Lane: Hashable, Sendable {
    /// The run of a worker, or the hash of a file; empty for the outpost itself.
    var name: String

    static let outpost = Lane(name: "")

    init(name: String) { self.name = name }
    init(_ run: RunID) { name = run.description }

    var run: RunID { RunID(name) }
  }

  /// Stream, epoch and the length of the name.
  private static let fixedBytes = 6

  var stream: Stream
  /// Which life of the outpost it belongs to; 0 before it has been told.
  var epoch: UInt32
  var lane: Lane
  /// The frame as it crosses a worker's own pipe.
  var frame: Frame

  /// Divides frames so that each fits together with what is put before it.
  ///
  /// A control frame that is too long becomes an ordinary message.
  static func fit(_ frames: [Frame], lane: Lane) -> [Frame] {
    let room = WireLimits.piece - fixedBytes - lane.name.utf8.count
    return frames.flatMap { frame -> [Frame] in
      if frame.kind == .control {
        let isShort = frame.payload.count <= WireLimits.control - fixedBytes - lane.name.utf8.count
        return [isShort ? frame : Frame(kind: .last, payload: frame.payload)]
      }
      guard frame.payload.count > room else { return [frame] }
      return [
        Frame(kind: .piece, payload: Array(frame.payload.prefix(room))),
        Frame(kind: frame.kind, payload: Array(frame.payload.dropFirst(room))),
      ]
    }
  }

  init(_ stream: Stream, epoch: UInt32, lane: Lane, _ frame: Frame) {
    self.stream = stream
    self.epoch = epoch
    self.lane = lane
    self.frame = frame
  }

  /// Reads a frame of the channel.
  init(_ outer: Frame) throws(WireBreach) {
    let payload = outer.payload
    guard payload.count >= Self.fixedBytes,
      payload.count >= Self.fixedBytes + Int(payload[5])
    else { throw .unreadableMessage(problem: "a frame of the channel without its head") }
    guard let stream = Stream(rawValue: payload[0]) else {
      throw .unreadableMessage(problem: "a frame of the unknown stream \(payload[0])")
    }
    let end = Self.fixedBytes + Int(payload[5])
    self.stream = stream
    epoch = payload[1..<5].reduce(0) { $0 << 8 | UInt32($1) }
    lane = Lane(name: String(decoding: payload[Self.fixedBytes..<end], as: UTF8.self))
    frame = Frame(kind: outer.kind, payload: Array(payload[end...]))
  }

  var bytes: [UInt8] {
    let name = lane.name.utf8
    var payload: [UInt8] = []
    payload.reserveCapacity(Self.fixedBytes + name.count + frame.payload.count)
    payload.append(stream.rawValue)
    for shift in [24, 16, 8, 0] as [UInt32] {
      payload.append(UInt8(truncatingIfNeeded: epoch >> shift))
    }
    payload.append(UInt8(name.count))
    payload += name
    payload += frame.payload
    return Frame(kind: frame.kind, payload: payload).bytes
  }
}
