/// Turns bytes, however divided, back into frames.
package struct FrameDecoder: Sendable {
  private var buffer: [UInt8] = []
  private var start = 0

  package init() {}

  package mutating func append(_ bytes: some Collection<UInt8>) {
    buffer.append(contentsOf: bytes)
  }

  /// Returns the next frame; `nil` when more bytes are needed.
  package mutating func next() throws(WireBreach) -> Frame? {
    let available = buffer.count - start
    guard available >= 5 else { return nil }
    // The length is checked before anything waits for that many bytes.
    let length = buffer[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    guard length <= WireLimits.piece else {
      throw .frameTooLong(length: length, limit: WireLimits.piece)
    }
    guard let kind = Frame.Kind(rawValue: buffer[start + 4]) else {
      throw .unknownKind(buffer[start + 4])
    }
    if kind == .control, length > WireLimits.control {
      throw .frameTooLong(length: length, limit: WireLimits.control)
    }
    guard available >= length + WireLimits.frameOverhead else { return nil }
    let payload = Array(buffer[start + 5..<start + 5 + length])
    let end = buffer[start + 5 + length]
    guard end == UInt8(ascii: "\n") else { throw .noNewline(found: end) }
    start += length + WireLimits.frameOverhead
    // Used bytes are dropped in bulk, so that many small frames do not each move the rest.
    if start == buffer.count {
      buffer.removeAll(keepingCapacity: true)
      start = 0
    } else if start > WireLimits.piece {
      buffer.removeSubrange(..<start)
      start = 0
    }
    return Frame(kind: kind, payload: payload)
  }

  /// Checks that the stream ended between two frames.
  package func finish() throws(WireBreach) {
    let rest = buffer.count - start
    if rest > 0 { throw .endInsideFrame(bytes: rest) }
  }
}

/// Skips what a launcher prints before the worker's preamble.
package struct PreambleScanner: Sendable {
  private var seen: [UInt8] = []

  package init() {}

  /// Takes bytes.
  ///
  /// - Returns: Once the preamble has come, the bytes before and after it.
  package mutating func take(
    _ bytes: some Collection<UInt8>
  ) throws(WireBreach) -> (banner: [UInt8], rest: [UInt8])? {
    var index = max(0, seen.count - WireLimits.preamble.count + 1)
    seen.append(contentsOf: bytes)
    // The limit on what may precede it does not depend on how the bytes were divided.
    while index + WireLimits.preamble.count <= seen.count, index <= WireLimits.banner {
      if seen[index...].starts(with: WireLimits.preamble) {
        let rest = seen[(index + WireLimits.preamble.count)...]
        return (Array(seen[..<index]), Array(rest))
      }
      index += 1
    }
    guard index <= WireLimits.banner else { throw .noPreamble(after: seen.count) }
    return nil
  }
}
