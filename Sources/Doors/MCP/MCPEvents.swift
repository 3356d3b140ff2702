import Hummingbird
import MCP
import NIOCore
import Transcripts

/// The messages of an exchange as server-sent events.
///
/// Every quiet second has a comment; writing it shows whether the client still listens. When nothing
/// is written any more, the request is cancelled.
struct MCPEvents: Sendable {
  typealias Event = EventPump<JSONRPCMessage>.Part

  private let pump: EventPump<JSONRPCMessage>

  init(_ messages: AsyncStream<JSONRPCMessage>) {
    pump = EventPump(messages.map { message throws in message }, interval: .seconds(1))
  }

  /// Returns the first event: a message, or a tick if none comes in a second.
  func first() async -> Event? { await pump.parts.first { _ in true } }

  /// Writes all events until they end, or until the client no longer reads.
  @concurrent func write(
    beginningWith first: Event?,
    to writer: inout any ResponseBodyWriter
  ) async throws {
    defer { pump.cancel() }
    if let first { try await writer.write(Self.bytes(of: first)) }
    Self.confirm(first)
    for await event in pump.parts {
      try await writer.write(Self.bytes(of: event))
      Self.confirm(event)
    }
    try await writer.finish(nil)
  }

  private static func bytes(of event: Event) -> ByteBuffer {
    switch event {
    case .element(let message, _):
      ByteBuffer(string: "event: message\ndata: \(message.content.jsonString)\n\n")
    case .tick: ByteBuffer(string: ": goes on\n\n")
    case .failed: ByteBuffer()
    }
  }

  /// Has the source read further.
  private static func confirm(_ event: Event?) {
    if case .element(_, let written)? = event { written.yield() }
  }
}
