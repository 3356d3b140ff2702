import Synchronization
import Wire

/// A worker's unread events, bounded because nothing else bounds what a worker sends.
final class EventBuffer: Sendable {
  static let maximumCount = 16_384
  /// Room for a few of the longest messages.
  static let maximumBytes = 2 * WireLimits.message

  private struct Item: Sendable {
    let event: WorkerEvent
    let bytes: Int
  }

  /// Has a single reader.
  let events: AsyncStream<WorkerEvent>
  private let continuation: AsyncStream<Item>.Continuation
  private let bytes: Count

  init() {
    // One slot more than may be used, so that the end always finds one.
    let (items, continuation) = AsyncStream<Item>.makeStream(
      bufferingPolicy: .bufferingOldest(Self.maximumCount + 1)
    )
    let bytes = Count()
    let reader = Reader(items.makeAsyncIterator(), bytes)
    events = AsyncStream { await reader.next() }
    (self.continuation, self.bytes) = (continuation, bytes)
  }

  /// Adds a message and its length.
  ///
  /// - Returns: What exceeds the bounds, in words; `nil` while they hold.
  func append(_ message: FromWorker, bytes count: Int) -> String? {
    let unread = bytes.add(count)
    let result = continuation.yield(Item(event: .message(message), bytes: count))
    if unread > Self.maximumBytes { return "\(unread) bytes that could not be read in time" }
    guard case .enqueued(let room) = result, room <= 1 else { return nil }
    return "\(Self.maximumCount) messages that could not be read in time"
  }

  /// Whether there are unread messages.
  var isWaiting: Bool { bytes.number > 0 }

  func end(_ death: Death) {
    continuation.yield(Item(event: .ended(death), bytes: 0))
    continuation.finish()
  }

  private final class Count: Sendable {
    private let value = Atomic<Int>(0)

    var number: Int { value.load(ordering: .relaxed) }

    @discardableResult
    func add(_ number: Int) -> Int {
      value.add(number, ordering: .relaxed).newValue
    }
  }

  // Unchecked because its single reader asks for one event at a time.
  private final class Reader: @unchecked Sendable {
    private var items: AsyncStream<Item>.Iterator
    private let bytes: Count

    init(_ items: AsyncStream<Item>.Iterator, _ bytes: Count) {
      (self.items, self.bytes) = (items, bytes)
    }

    func next() async -> WorkerEvent? {
      guard let item = await items.next(isolation: #isolation) else { return nil }
      bytes.add(-item.bytes)
      return item.event
    }
  }
}
