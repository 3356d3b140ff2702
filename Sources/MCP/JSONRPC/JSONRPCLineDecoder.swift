import Transcripts

/// Turns the bytes of a pipe, however divided, into messages, one JSON object a line.
///
/// Programs print other things to the same pipe, a banner or a warning. Lines that are no JSON
/// object are skipped and counted.
package struct JSONRPCLineDecoder: Sendable {
  /// The most bytes of a line; it bounds what an endless line takes while it is read.
  package static let maximumLine = 16 << 20

  /// A line is longer than the limit, so what follows cannot be read.
  package struct LineTooLong: Error, Equatable {
    package let limit: Int
  }

  /// A JSON object: a message, or an object that is none.
  package typealias Line = Result<JSONRPCMessage, InvalidMessage>

  /// How many lines were no JSON objects.
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

  /// Returns the next JSON object; `nil` when more bytes are needed.
  package mutating func next() throws(LineTooLong) -> Line? {
    while let line = try nextLine() {
      if line.allSatisfy(\.isSpace) { continue }
      let text = String(decoding: line, as: UTF8.self)
      guard let content = try? GeneratedContent(json: text), content.isComplete,
        content.members != nil
      else {
        skippedLines += 1
        if firstSkipped == nil { firstSkipped = String(text.prefix(200)) }
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
