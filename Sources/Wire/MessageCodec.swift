package import Transcripts

/// Turns messages into frames.
///
/// Both ends use this codec.
package struct MessageEncoder: Sendable {
  package init() {}

  /// Returns the frames of a message: one control frame if it is urgent and small enough, otherwise
  /// pieces.
  package func frames(of message: some WireMessage) throws -> [Frame] {
    let payload = try JSONCoder.encode(message)
    guard payload.count <= WireLimits.message else {
      throw WireBreach.messageTooLong(limit: WireLimits.message)
    }
    if message.isControl, payload.count <= WireLimits.control {
      return [Frame(kind: .control, payload: payload)]
    }
    var frames: [Frame] = []
    var rest = payload[...]
    while rest.count > WireLimits.piece {
      frames.append(Frame(kind: .piece, payload: Array(rest.prefix(WireLimits.piece))))
      rest = rest.dropFirst(WireLimits.piece)
    }
    frames.append(Frame(kind: .last, payload: Array(rest)))
    return frames
  }
}

/// Reassembles messages from frames.
package struct MessageDecoder<Message: WireMessage>: Sendable {
  private var frames = FrameDecoder()
  private var partial: [UInt8] = []

  package init() {}

  package mutating func append(_ bytes: some Collection<UInt8>) {
    frames.append(bytes)
  }

  /// Returns the next message; `nil` when more bytes are needed.
  ///
  /// - Throws: `WireBreach`, also for an unknown message and for one whose content is impossible.
  package mutating func next() throws(WireBreach) -> Message? {
    while let frame = try frames.next() {
      switch frame.kind {
      case .control:
        return try read(frame.payload)
      case .piece, .last:
        guard partial.count + frame.payload.count <= WireLimits.message else {
          throw .messageTooLong(limit: WireLimits.message)
        }
        if frame.kind == .last, partial.isEmpty { return try read(frame.payload) }
        partial += frame.payload
        guard frame.kind == .last else { continue }
        defer { partial.removeAll(keepingCapacity: partial.count <= WireLimits.piece) }
        return try read(partial)
      }
    }
    return nil
  }

  package func finish() throws(WireBreach) {
    try frames.finish()
    if !partial.isEmpty { throw .endInsideFrame(bytes: partial.count) }
  }

  private func read(_ payload: [UInt8]) throws(WireBreach) -> Message {
    let message: Message
    do {
      message = try JSONCoder.decode(from: payload)
    } catch {
      // The problem may quote what cannot be read, at any length.
      let problem = String(describing: error).beginning(bytes: WireLimits.problem)
      throw .unreadableMessage(problem: problem)
    }
    do {
      try message.validate()
    } catch {
      throw .invalidValue(error.description)
    }
    return message
  }
}

/// A message that crosses a pipe.
package protocol WireMessage: Codable, Sendable {
  /// Whether it must not wait behind data.
  var isControl: Bool { get }
  /// Throws an error if a number in it is out of range.
  func validate() throws(InvalidValue)
}

extension WireMessage {
  /// The name of its kind, for a report.
  package var kindName: String {
    // A kind without content has no child, and is described by its name.
    Mirror(reflecting: self).children.first?.label ?? "\(self)"
  }
}
