import Coordinator
import Foundation
import Hummingbird

/// Writes events as lines of JSON: an object each, an error as the last of them.
///
/// Every quiet second has a line that says nothing; writing it shows whether the client still
/// listens.
struct LineWriter<Element: Encodable & Sendable> {
  private static var interval: Duration { .seconds(1) }

  private enum Line: Sendable {
    case element(Element)
    case failed(ServiceError)
    case tick
  }

  let events: EventStream<Element>

  /// Writes until the events end, or until the client no longer reads.
  @concurrent func write(to writer: inout any ResponseBodyWriter) async throws {
    let (lines, continuation) = AsyncStream<Line>.makeStream()
    let (written, acknowledgement) = AsyncStream<Void>.makeStream()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        var acknowledgements = written.makeAsyncIterator()
        do {
          for try await event in events {
            continuation.yield(.element(event))
            // An event counts as read when it is written, and the next is not taken before.
            guard await acknowledgements.next() != nil else { break }
          }
        } catch {
          continuation.yield(.failed(ServiceError(error)))
        }
        continuation.finish()
      }
      group.addTask {
        while (try? await Task.sleep(for: Self.interval)) != nil { continuation.yield(.tick) }
      }
      defer { group.cancelAll() }
      for await line in lines {
        try await writer.write(ByteBuffer(bytes: Self.bytes(of: line)))
        if case .element = line { acknowledgement.yield() }
      }
    }
    try await writer.finish(nil)
  }

  private static func bytes(of line: Line) throws -> Data {
    let json =
      switch line {
      case .element(let element): try ServiceJSON.encode(element)
      case .failed(let error): try ServiceJSON.encode(ErrorBody(error))
      case .tick: Data(#"{"event":"tick"}"#.utf8)
      }
    return json + [UInt8(ascii: "\n")]
  }
}
