import FlyingSocks
import Foundation

/// An HTTP/1.1 response that is read as it arrives.
///
/// FlyingFox only delivers complete responses: nobody would see words arrive, or be asked about a
/// call while it waits.
struct StreamedReply: Sendable {
  /// The limit of a line, longer than any that the control plane sends.
  private static let maximumLine = 16 * 1024

  private(set) var status = 0
  private let socket: AsyncSocket
  /// The seconds without data after which the reply counts as silent.
  private let patience: Int
  /// Bytes that were read ahead.
  private var ahead: [UInt8] = []
  private var state = State.over

  private enum State {
    /// In a chunked body, with this many bytes left in the chunk.
    case piece(Int)
    /// In a body of declared length, with this many bytes left.
    case whole(Int)
    case over
  }

  /// Posts a body to a socket file and reads the head of the answer.
  /// - Parameter patience: The seconds that may pass without data, now or later.
  /// - Throws: `SocketError` when the other end is gone; `ControlError.silent`, `.garbled`.
  static func post(
    _ body: Data,
    to path: String,
    of file: String,
    patience: Int = Patience.long
  ) async throws -> Self {
    let socket = try await AsyncSocket.connected(to: .unix(path: file))
    let head = [
      "POST \(path) HTTP/1.1", "Host: orchestrator", "Content-Length: \(body.count)",
      "Connection: close",
    ]
    do {
      let bytes = Data((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
      try await Patience.wait(patience) { try await socket.write(bytes) }
      var reply = Self(socket: socket, patience: patience)
      try await reply.readHead()
      return reply
    } catch {
      try? socket.close()
      throw error
    }
  }

  private init(socket: AsyncSocket, patience: Int) {
    (self.socket, self.patience) = (socket, patience)
  }

  private mutating func readHead() async throws {
    let words = try await line().split(separator: " ")
    guard words.count > 1, let status = Int(words[1]) else { throw ControlError.garbled }
    self.status = status
    while case let line = try await line(), !line.isEmpty {
      let parts = line.lowercased().split(separator: ":", maxSplits: 1)
      let value = parts.last?.trimmingCharacters(in: .whitespaces) ?? ""
      switch parts.first {
      case "content-length":
        guard let count = Int(value), count >= 0 else { throw ControlError.garbled }
        state = .whole(count)
      case "transfer-encoding" where value.hasSuffix("chunked"): state = .piece(0)
      default: break
      }
    }
  }

  /// Returns the next part of the body; `nil` at its end.
  mutating func next() async throws -> [UInt8]? {
    switch state {
    case .over: return nil
    case .whole(0):
      state = .over
      return nil
    case .whole(let count):
      let bytes = try await read(count)
      state = .whole(count - bytes.count)
      return bytes
    case .piece(0):
      let digits = try await line().prefix { $0 != ";" }
      guard let count = Int(digits, radix: 16), count >= 0 else { throw ControlError.garbled }
      // Whatever follows the last chunk is of no interest and is not read.
      state = count == 0 ? .over : .piece(count)
      return try await next()
    case .piece(let count):
      let bytes = try await read(count)
      state = .piece(count - bytes.count)
      if bytes.count == count {
        guard try await line().isEmpty else { throw ControlError.garbled }
      }
      return bytes
    }
  }

  /// Returns the rest of the body.
  mutating func rest() async throws -> Data {
    var data = Data()
    while let bytes = try await next() { data += bytes }
    return data
  }

  func close() { try? socket.close() }

  /// Returns at least one byte and at most the given number.
  private mutating func read(_ count: Int) async throws -> [UInt8] {
    if ahead.isEmpty { ahead = try await received(64 * 1024) }
    let bytes = Array(ahead.prefix(count))
    ahead.removeFirst(bytes.count)
    return bytes
  }

  /// Returns a line of the head, without its end.
  private mutating func line() async throws -> String {
    while true {
      if let end = ahead.firstIndex(of: UInt8(ascii: "\n")) {
        let line = ahead[..<end].last == UInt8(ascii: "\r") ? ahead[..<(end - 1)] : ahead[..<end]
        let text = String(decoding: line, as: UTF8.self)
        ahead.removeFirst(end + 1)
        return text
      }
      guard ahead.count < Self.maximumLine else { throw ControlError.garbled }
      ahead += try await received(4096)
    }
  }

  /// Returns the next bytes, at most the given number.
  private func received(_ count: Int) async throws -> [UInt8] {
    let socket = socket
    return try await Patience.wait(patience) { try await socket.read(atMost: count) }
  }
}
