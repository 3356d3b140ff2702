import Synchronization
import Wire

/// What a worker has said and nobody has read yet: bounded, because nothing else bounds what it says.
final class UnreadEvents: Sendable {
  static let maximumCount = 16_384
  /// Some of the longest messages at once.
  static let maximumBytes = 4 * WireLimits.message

  private struct Item: Sendable {
    let event: WorkerEvent
    let bytes: Int
  }

  /// Read by one reader.
  let events: AsyncStream<WorkerEvent>
  private let continuation: AsyncStream<Item>.Continuation
  private let bytes: Count

  init() {
    // One place more than may be used, so that the end always finds one.
    let (items, continuation) = AsyncStream<Item>.makeStream(
      bufferingPolicy: .bufferingOldest(Self.maximumCount + 1)
    )
    let bytes = Count()
    let reader = Reader(items.makeAsyncIterator(), bytes)
    events = AsyncStream { await reader.next() }
    (self.continuation, self.bytes) = (continuation, bytes)
  }

  /// Takes a message and how long it was; returns what is too much of it, in words, when it is.
  func add(_ message: FromWorker, bytes count: Int) -> String? {
    let unread = bytes.add(count)
    let result = continuation.yield(Item(event: .message(message), bytes: count))
    if unread > Self.maximumBytes { return "\(unread) bytes that could not be read in time" }
    guard case .enqueued(let room) = result, room <= 1 else { return nil }
    return "\(Self.maximumCount) messages that could not be read in time"
  }

  /// Whether there is something that nobody has read yet.
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

  // Unchecked because there is one reader, which asks for one event after the other.
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
