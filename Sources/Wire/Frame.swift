import Transcripts

/// A piece of what crosses a pipe: a length, a kind, a payload and a newline.
///
/// The newline carries a frame through line-buffering launchers and shows where a stream went
/// wrong.
package struct Frame: Equatable, Sendable {
  package enum Kind: UInt8, Sendable {
    /// A whole message that must not wait behind data; it may come between the pieces of another.
    case control = 1
    /// A piece of a message, followed by more.
    case piece = 2
    /// The last piece of a message, or all of it.
    case last = 3
  }

  package var kind: Kind
  package var payload: [UInt8]

  package init(kind: Kind, payload: [UInt8]) {
    self.kind = kind
    self.payload = payload
  }

  package var bytes: [UInt8] {
    let count = UInt32(payload.count)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(payload.count + WireLimits.frameOverhead)
    for shift in [24, 16, 8, 0] as [UInt32] {
      bytes.append(UInt8(truncatingIfNeeded: count >> shift))
    }
    bytes.append(kind.rawValue)
    bytes += payload
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }
}

/// The limits that both ends enforce.
///
/// A peer that breaks one is no longer listened to.
package enum WireLimits {
  /// The version of the protocol; ends with different versions do not talk.
  package static let version = 12
  package static let piece = 64 * 1024
  /// The bytes of a control message, few enough to pass through every launcher at once.
  package static let control = 1000
  /// The bytes of one message: an entry and what surrounds it, or content of such an entry as a
  /// string, in which each of its quotes and backslashes takes two bytes.
  package static let message = 2 * (EntryLimit.bytes + 4096)
  /// The bytes that may precede the preamble, such as the banner of a remote shell.
  package static let banner = 64 * 1024
  /// The bytes of a problem with a message that are reported.
  package static let problem = 500
  /// Length, kind and newline.
  package static let frameOverhead = 6

  /// The first bytes from a worker.
  ///
  /// No text begins like this.
  package static let preamble: [UInt8] = [0x89, 0x4F, 0x52, 0x43, 0x48, 0x0D, 0x0A, 0x1A]
}

/// What a peer did that the protocol does not allow.
package enum WireBreach: Error, Equatable, Sendable {
  case frameTooLong(length: Int, limit: Int)
  case unknownKind(UInt8)
  case noNewline(found: UInt8)
  case messageTooLong(limit: Int)
  case noPreamble(after: Int)
  case unreadableMessage(problem: String)
  /// It can be read, but the other end speaks another version.
  case otherVersion(Int)
  /// It can be read, but may not come now.
  case outOfTurn(String)
  /// It can be read, but its content is impossible.
  case invalidValue(String)
  case endInsideFrame(bytes: Int)
}

extension WireBreach: CustomStringConvertible {
  package var description: String {
    switch self {
    case .frameTooLong(let length, let limit): "a frame of \(length) bytes, the limit is \(limit)"
    case .unknownKind(let kind): "a frame of the unknown kind \(kind)"
    case .noNewline(let found): "a frame that ends with byte \(found) and not with a newline"
    case .messageTooLong(let limit): "a message of more than \(limit) bytes"
    case .noPreamble(let bytes): "no preamble within the first \(bytes) bytes"
    case .unreadableMessage(let problem): "a message that cannot be read: \(problem)"
    case .otherVersion(let version):
      "a greeting of version \(version), this end speaks \(WireLimits.version)"
    case .outOfTurn(let message): "a message out of turn: \(message)"
    case .invalidValue(let claim): "a message with an impossible value: \(claim)"
    case .endInsideFrame(let bytes): "an end in the middle of a frame, after \(bytes) bytes of it"
    }
  }
}
