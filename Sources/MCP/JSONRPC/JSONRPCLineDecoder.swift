import Transcripts

/// Turns the bytes of a pipe, however divided, into messages, one JSON object a line.
///
/// Programs print other things to the same pipe, a banner or a warning. Lines that do not begin like
/// a JSON object are skipped.
package struct JSONRPCLineDecoder: Sendable {
  /// The most bytes of a line; it bounds what an endless line takes while it is read.
  package static let maximumLine = 16 << 20

  /// A line is longer than the limit, so what follows cannot be read.
  package struct LineTooLong: Error, Equatable {
    package let limit: Int
  }

  /// What begins like a JSON object: a message, or what cannot be read as one.
  package typealias Line = Result<JSONRPCMessage, InvalidMessage>

  /// How many lines were no JSON objects, whether they began like one or not.
  package private(set) var skippedLines = 0
  /// The beginning of the first of them.
  package private(set) var firstSkipped: String?
  private var buffer: [UInt8] = []
  /// The first byte that is not yet returned.
  private var start = 0
  /// How many bytes are known to contain no end of the current line.
  private var scanned = 0
  private let limit: Int

  package init(maximumLine: Int = Self.maximumLine) {
    limit = maximumLine
  }

  package mutating func append(_ bytes: some Collection<UInt8>) {
    buffer.append(contentsOf: bytes)
  }

  /// Returns the next line that begins like a JSON object; `nil` when more bytes are needed.
  package mutating func next() throws(LineTooLong) -> Line? {
    while let line = try nextLine() {
      guard let first = line.first(where: { !$0.isSpace }) else { continue }
      let text = String(decoding: line, as: UTF8.self)
      guard let content = try? GeneratedContent(json: text), content.isComplete,
        content.members != nil
      else {
        skippedLines += 1
        if firstSkipped == nil { firstSkipped = String(text.prefix(200)) }
        // It may be a request, whose sender would wait for the answer.
        if first == UInt8(ascii: "{") { return .failure(.unreadable) }
        continue
      }
      do {
        return .success(try JSONRPCMessage(content))
      } catch {
        return .failure(error)
      }
    }
    return nil
  }

  private mutating func nextLine() throws(LineTooLong) -> ArraySlice<UInt8>? {
    guard let end = buffer[scanned...].firstIndex(of: UInt8(ascii: "\n")) else {
      // Used bytes are dropped in bulk, so that many short lines do not each move the rest.
      buffer.removeSubrange(..<start)
      (start, scanned) = (0, buffer.count)
      guard buffer.count <= limit else { throw LineTooLong(limit: limit) }
      return nil
    }
    guard end - start <= limit else { throw LineTooLong(limit: limit) }
    defer { (start, scanned) = (end + 1, end + 1) }
    return buffer[start..<end]
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { [0x20, 0x09, 0x0D].contains(self) }
}
