import Foundation
import Testing

@testable import Supervision

@Suite(.timeLimit(.minutes(5))) struct `A child's input` {
  @Test func `releases what is written although more is always pending`() throws {
    let reader = try Reader()
    let input = ChildInput(reader.writingEnd)
    var told = 0
    /// Bytes without any short period.
    func next(_ count: Int) -> [UInt8] {
      defer { told += count }
      return (told..<told + count).map(Self.byte)
    }
    // More than a pipe holds; from here on, every write matches a read.
    let backlog = 512 * 1024
    var isMoreWaiting = input.write(next(backlog))
    var (heard, most) = (0, 0)
    for _ in 0..<200 {
      try #require(isMoreWaiting)
      let bytes = reader.read(32 * 1024)
      try #require(!bytes.isEmpty)
      try #require(bytes == (heard..<heard + bytes.count).map(Self.byte))
      heard += bytes.count
      isMoreWaiting = input.write(next(bytes.count))
      most = max(most, input.heldBytes)
    }
    #expect(heard > 8 * backlog)
    #expect(most <= 5 * backlog)
    #expect(reader.read(1).count == 1, "the pipe is full still")
  }

  @Test(arguments: 1...16)
  func `releases its buffer when all is written`(quarters: Int) throws {
    let reader = try Reader()
    let input = ChildInput(reader.writingEnd)
    let unit = 64 * 1024
    let count = 64 * unit + quarters * unit / 4
    var isWaiting = input.write([UInt8](repeating: 0x2E, count: count))
    #expect(input.heldBytes > 32 * unit)
    var heard = 0
    while isWaiting {
      heard += reader.read(unit).count
      input.serve()
      isWaiting = input.pollRequest != nil
    }
    while heard < count { heard += reader.read(unit).count }
    #expect(heard == count)
    #expect(input.heldBytes <= 2 * unit)
  }

  @Test func `is closed by a message beyond the limit`() throws {
    let reader = try Reader()
    let input = ChildInput(reader.writingEnd, limit: 200 * 1024)
    let half = [UInt8](repeating: 0x2E, count: 160 * 1024)
    #expect(input.write(half))
    #expect(input.write(half))
    #expect(!input.write([0x2E]), "it would be out of turn")
    var heard: [UInt8] = []
    while true {
      input.serve()
      let bytes = reader.read(64 * 1024)
      if bytes.isEmpty { break }
      heard += bytes
    }
    #expect(heard == half)
  }

  private static func byte(_ place: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: place &* 31 &+ place >> 11)
  }
}

/// A pipe and its reader.
private final class Reader {
  /// The end for writing, which the writer closes.
  let writingEnd: Int32
  private let readingEnd: Int32

  init() throws {
    var ends: [Int32] = [0, 0]
    let problem = pipe(&ends)
    try #require(problem == 0)
    (readingEnd, writingEnd) = (ends[0], ends[1])
    _ = fcntl(writingEnd, F_SETFL, O_NONBLOCK)
  }

  deinit { close(readingEnd) }

  /// Reads up to `count` bytes; returns none at the end of the stream.
  func read(_ count: Int) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    let count = Foundation.read(readingEnd, &buffer, buffer.count)
    return Array(buffer.prefix(max(0, count)))
  }
}
