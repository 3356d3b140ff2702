import Coordinator
import Foundation
import Hummingbird

/// Writes elements as lines of JSON, an error as the last of them.
///
/// Every quiet second has a line that says nothing; writing it shows whether the client still
/// listens.
struct LineWriter<Element: Sendable> {
  let pump: EventPump<Element>
  /// Returns an element's lines, without the end of the last.
  let encode: @Sendable (Element) throws -> Data

  /// Writes until the elements end, or until the client no longer reads.
  @concurrent func write(to writer: inout any ResponseBodyWriter) async throws {
    defer { pump.cancel() }
    for await part in pump.parts {
      try await writer.write(ByteBuffer(bytes: bytes(of: part)))
      if case .element(_, let written) = part { written.yield() }
    }
    try Task.checkCancellation()
    try await writer.finish(nil)
  }

  private func bytes(of part: EventPump<Element>.Part) throws -> Data {
    let json =
      switch part {
      case .element(let element, _): try encode(element)
      case .failed(let error): try ServiceJSON.encode(ErrorBody(ServiceError(error)))
      case .tick: Data(#"{"event":"tick"}"#.utf8)
      }
    return json + [UInt8(ascii: "\n")]
  }
}

extension LineWriter where Element: Encodable {
  init(_ events: EventStream<Element>) {
    self.init(pump: EventPump(events, interval: .seconds(1)), encode: ServiceJSON.encode)
  }
}

extension LineWriter<WatchLine> {
  /// Writes events, and between them the facts of a session as they are recorded.
  init(_ events: EventStream<SessionEvent>, _ facts: FactLines.Following) {
    let events = events.map { WatchLine.event($0) }
    self.init(pump: EventPump(events, facts, interval: .seconds(1))) { try $0.json }
  }
}

/// A part of what the inspector page reads.
enum WatchLine: Sendable {
  case event(SessionEvent)
  /// Facts that are encoded already, on lines.
  case facts(Data)

  var json: Data {
    get throws {
      switch self {
      case .event(let event): try ServiceJSON.encode(event)
      case .facts(let lines): lines
      }
    }
  }
}
