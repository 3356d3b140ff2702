import Hummingbird
import MCP
import NIOCore
import Transcripts

/// The messages of an exchange as server-sent events.
///
/// Every quiet second has a comment; writing it shows whether the client still listens. When nothing
/// is written any more, the request is cancelled.
struct MCPEvents: Sendable {
  enum Event: Sendable {
    case message(JSONRPCMessage)
    case tick
  }

  private static let interval = Duration.seconds(1)

  private let events: AsyncStream<Event>

  init(_ messages: AsyncStream<JSONRPCMessage>) {
    let (events, continuation) = AsyncStream<Event>.makeStream()
    self.events = events
    // Unstructured: ends with the events, whichever side ends them.
    let task = Task {
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          for await message in messages { continuation.yield(.message(message)) }
        }
        group.addTask {
          while (try? await Task.sleep(for: Self.interval)) != nil { continuation.yield(.tick) }
        }
        await group.next()
        group.cancelAll()
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
  }

  /// Returns the first event: a message, or a tick if none comes in a second.
  func first() async -> Event? { await events.first { _ in true } }

  /// Writes all events until they end, or until the client no longer reads.
  @concurrent func write(
    beginningWith first: Event?,
    to writer: inout any ResponseBodyWriter
  ) async throws {
    if let first { try await writer.write(Self.bytes(of: first)) }
    for await event in events { try await writer.write(Self.bytes(of: event)) }
    try await writer.finish(nil)
  }

  private static func bytes(of event: Event) -> ByteBuffer {
    switch event {
    case .message(let message):
      ByteBuffer(string: "event: message\ndata: \(message.content.jsonString)\n\n")
    case .tick: ByteBuffer(string: ": goes on\n\n")
    }
  }
}
