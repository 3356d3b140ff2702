import Foundation
import Testing

@testable import Coordinator

@Suite struct `A log that grows` {
  @Test func `is read by whole characters, and at the end to its last byte`() throws {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "log-\(UUID().uuidString)").path
    defer { unlink(path) }
    try Data().write(to: URL(filePath: path))
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    var log = LogReading(path: path)
    var texts: [String] = []
    for byte in "n\u{E9}👍\u{20AC}".utf8 {
      try file.write(contentsOf: Data([byte]))
      texts.append(log.next(isLast: false))
    }
    #expect(texts == ["n", "", "\u{E9}", "", "", "", "👍", "", "", "\u{20AC}"])

    // Bytes that begin no character keep nothing waiting.
    try file.write(contentsOf: Data([0xFF]))
    #expect(log.next(isLast: false) == "\u{FFFD}")
    try file.write(contentsOf: Data([0xC3]))
    #expect(log.next(isLast: false) == "")
    #expect(log.next(isLast: true) == "\u{FFFD}")
    try file.close()
  }
}
