import Foundation
import Logging
import Synchronization
import Testing

@testable import Coordinator

@Suite struct `The log of a coordinator` {
  private func logged(
    level: Logger.Level? = nil,
    format: CoordinatorLog.Format = .text
  ) throws -> (file: [Substring], console: [String]) {
    let path = NSTemporaryDirectory() + "/log-\(UUID().uuidString)"
    defer { unlink(path) }
    let console = Mutex<[String]>([])
    let logger = CoordinatorLog.logger(level: level, format: format, path: path) { line in
      console.withLock { $0.append(line) }
    }
    logger.debug("deep")
    logger.info("turn began", metadata: ["session": "talk", "turn": "7"])
    logger.notice("two\nlines")
    // The file is made by the first line.
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return (text.split(separator: "\n"), console.withLock { $0 })
  }

  @Test func `has the facts beside the words, and a person reads the words`() throws {
    let (file, console) = try logged()
    #expect(file.count == 3)
    #expect(file.first?.hasSuffix("Z info turn began session=talk turn=7") == true, "\(file)")
    #expect(file.last == "  lines")
    #expect(console == ["two\nlines"])
  }

  @Test func `is as deep as was asked for`() throws {
    #expect(try logged(level: .debug).console.count == 3)
    #expect(try logged(level: .error).file == [])
  }

  @Test func `is JSON for programs`() throws {
    let (file, console) = try logged(format: .json)
    let facts = try file.map { line in
      try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
    }
    #expect(facts.map { $0["message"] } == ["turn began", "two\nlines"])
    #expect(facts.first?["session"] == "talk")
    #expect(facts.first?["level"] == "info")
    #expect(console.count == 1 && console.first?.hasPrefix("{") == true)
  }
}
