import Coordinator
import Foundation
import Hummingbird

/// Writes events as lines of JSON: an object each, an error as the last of them.
///
/// Every quiet second has a line that says nothing; writing it shows whether the client still
/// listens.
struct LineWriter<Element: Encodable & Sendable> {
  let events: EventStream<Element>

  /// Writes until the events end, or until the client no longer reads.
  @concurrent func write(to writer: inout any ResponseBodyWriter) async throws {
    let pump = EventPump(events, interval: .seconds(1))
    defer { pump.cancel() }
    for await part in pump.parts {
      try await writer.write(ByteBuffer(bytes: Self.bytes(of: part)))
      if case .element = part { pump.acknowledge() }
    }
    try Task.checkCancellation()
    try await writer.finish(nil)
  }

  private static func bytes(of part: EventPump<Element>.Part) throws -> Data {
    let json =
      switch part {
      case .element(let element): try ServiceJSON.encode(element)
      case .failed(let error): try ServiceJSON.encode(ErrorBody(ServiceError(error)))
      case .tick: Data(#"{"event":"tick"}"#.utf8)
      }
    return json + [UInt8(ascii: "\n")]
  }
}
