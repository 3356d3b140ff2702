package import AgentKit

/// Turns messages into frames.
///
/// Both ends use this one codec.
package struct MessageEncoder: Sendable {
  package init() {}

  /// The frames of a message: one control frame when it is small enough and says that it is urgent,
  /// pieces otherwise.
  package func frames(of message: some WireMessage) throws -> [Frame] {
    let payload = try message.json()
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

/// Puts messages together from frames.
package struct MessageDecoder<Message: WireMessage>: Sendable {
  private var frames = FrameDecoder()
  private var partial: [UInt8] = []

  package init() {}

  package mutating func append(_ bytes: some Collection<UInt8>) {
    frames.append(bytes)
  }

  /// The next message; `nil` when more bytes are needed.
  /// - Throws: `WireBreach`, also for a message that this end does not know, and for one that says
  ///   what cannot be.
  package mutating func next() throws(WireBreach) -> Message? {
    while let frame = try frames.next() {
      switch frame.kind {
      case .control:
        return try read(frame.payload)
      case .piece, .last:
        guard partial.count + frame.payload.count <= WireLimits.message else {
          throw .messageTooLong(limit: WireLimits.message)
        }
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
      message = try Message(json: payload)
    } catch {
      throw .unreadableMessage(problem: String(describing: error))
    }
    if let claim = message.implausibility { throw .implausible(claim) }
    return message
  }
}

/// A message that crosses a pipe.
package protocol WireMessage: Codable, Sendable, Spelled {
  /// Whether it must not wait behind data.
  var isControl: Bool { get }
  /// What it says that cannot be, in words; `nil` where it all can.
  var implausibility: String? { get }
}
