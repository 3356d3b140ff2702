import Wire

/// What waits to cross the channel.
///
/// A pure value: it decides what goes next, and its owner writes. What coordinator and outpost say to
/// each other goes first; all other lanes take turns, a frame each, as far as the other end has room
/// for them. So no worker, however much it sends, keeps another or a heartbeat waiting for more than
/// a frame of every lane.
struct ChannelQueue: Sendable {
  typealias Lane = ChannelFrame.Lane

  /// The bytes of one lane that may be under way before the other end has taken them.
  static let window = 256 * 1024

  private struct Waiting: Sendable {
    var items: [(stream: ChannelFrame.Stream, frame: Frame)] = []
    var start = 0
    var bytes = 0
    var credit = ChannelQueue.window
    /// Whether the lane is forgotten once it is empty.
    var isClosing = false

    var isEmpty: Bool { start == items.count }
    /// A frame may exceed what is left, so that no lane waits for credit that never suffices.
    var isReady: Bool { !isEmpty && credit > 0 }

    mutating func removeFirst() -> (stream: ChannelFrame.Stream, frame: Frame) {
      let item = items[start]
      start += 1
      if start == items.count {
        items.removeAll(keepingCapacity: start <= 64)
        start = 0
      } else if start >= 64, start >= items.count / 2 {
        items.removeSubrange(..<start)
        start = 0
      }
      bytes -= item.frame.payload.count
      return item
    }
  }

  private var first: [Frame] = []
  private var lanes: [Lane: Waiting] = [:]
  /// The lanes that may go on, in the order of their turns.
  private var turns: [Lane] = []

  /// Whether nothing can be sent now.
  var isIdle: Bool { first.isEmpty && turns.isEmpty }

  /// The frames that go before all lanes.
  var waitingMessages: Int { first.count }

  /// The bytes of a lane that wait.
  func waitingBytes(_ lane: Lane) -> Int { lanes[lane]?.bytes ?? 0 }

  /// Adds what coordinator and outpost say to each other: whole messages, in order.
  mutating func append(_ frames: [Frame]) {
    // A control frame goes before the pieces of a message, as on any pipe; these are all at the end.
    if frames.count == 1, frames[0].kind == .control, let last = first.last, last.kind != .control,
      let index = first.firstIndex(where: { $0.kind != .control })
    {
      first.insert(frames[0], at: index)
    } else {
      first += frames
    }
  }

  mutating func append(_ frames: [Frame], stream: ChannelFrame.Stream, lane: Lane) {
    let wasReady = lanes[lane]?.isReady ?? false
    for frame in frames {
      lanes[lane, default: Waiting()].items.append((stream, frame))
      lanes[lane]?.bytes += frame.payload.count
    }
    noteReady(lane, wasReady)
  }

  /// Handles the other end's having taken bytes of a lane.
  mutating func credit(_ lane: Lane, bytes: Int) {
    guard let waiting = lanes[lane] else { return }
    lanes[lane]?.credit = min(Self.window, waiting.credit + bytes)
    noteReady(lane, waiting.isReady)
  }

  /// Forgets a lane once what waits in it is sent.
  mutating func close(_ lane: Lane) {
    guard let waiting = lanes[lane] else { return }
    if waiting.isEmpty { lanes[lane] = nil } else { lanes[lane]?.isClosing = true }
  }

  /// Forgets a lane and what waits in it.
  mutating func drop(_ lane: Lane) {
    lanes[lane] = nil
    turns.removeAll { $0 == lane }
  }

  private mutating func noteReady(_ lane: Lane, _ wasReady: Bool) {
    if !wasReady, lanes[lane]?.isReady == true { turns.append(lane) }
  }

  /// Takes what goes next; `nil` when nothing can.
  mutating func next() -> (stream: ChannelFrame.Stream, lane: Lane, frame: Frame)? {
    if !first.isEmpty { return (.outpost, .outpost, first.removeFirst()) }
    guard !turns.isEmpty else { return nil }
    let lane = turns.removeFirst()
    guard let item = lanes[lane]?.removeFirst() else { return nil }
    lanes[lane]?.credit -= item.frame.payload.count
    if let waiting = lanes[lane] {
      if waiting.isReady { turns.append(lane) }
      if waiting.isEmpty, waiting.isClosing { lanes[lane] = nil }
    }
    return (item.stream, lane, item.frame)
  }
}
