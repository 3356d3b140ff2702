import Foundation
import TestSupport
import Testing

@testable import Coordinator

struct `Outputs that are too long for a prompt` {
  /// Whether a model that follows what it is told reads a whole output, with windows of this size.
  private func reads(_ text: String, window: Int, in folder: String) -> String {
    let store = OutputStore(folder: folder)
    var shown = store.fitted(text, of: "git_log", session: "s", window: window)
    var whole = ""
    while let notice = shown.range(of: "\n[These are the bytes ", options: .backwards) {
      whole += shown[..<notice.lowerBound]
      guard
        let match = shown[notice.lowerBound...].firstMatch(of: /output '([^']+)' and offset (\d+)/),
        let offset = Int(match.2),
        let more = store.read(String(match.1), from: offset, session: "s", window: window)
      else { return whole }
      shown = more
    }
    return whole + shown
  }

  @Test(arguments: ["x", "ä", "日本", "👩‍👩‍👧"])
  func `can be read to their end, in whole characters`(character: String) throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let text = (0..<1000).map { "\(character)\($0)" }.joined()
    #expect(reads(text, window: 1000, in: folder) == text)
    #expect(Array(reads(text, window: 1000, in: folder).utf8) == Array(text.utf8))
  }

  @Test func `are bounded by the window, and by a number of tokens`() {
    #expect(OutputStore.room(inWindow: 4000) == 3000)
    #expect(OutputStore.room(inWindow: 1_000_000) == 12_000)
    #expect(OutputStore.room(inWindow: nil) == 12_000)
    #expect(OutputStore.room(inWindow: 0) > 0)
  }

  @Test func `leave short ones as they are`() throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = OutputStore(folder: folder)
    #expect(store.fitted("short", of: "a", session: "s", window: nil) == "short")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
  }

  @Test func `belong to their session, and lead to no other file`() throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = OutputStore(folder: folder)
    let text = String(repeating: "x", count: 20_000)
    #expect(store.fitted(text, of: "a", session: "one", window: nil).contains("'a-1'"))
    #expect(store.fitted(text, of: "a", session: "one", window: nil).contains("'a-2'"))
    #expect(store.read("a-1", from: 0, session: "one", window: nil) != nil)
    #expect(store.read("a-1", from: 0, session: "two", window: nil) == nil)
    try "secret".write(toFile: "\(folder)/secret", atomically: true, encoding: .utf8)
    for name in ["../secret", "", "/etc/passwd", ".", "a-1/..", "a.b"] {
      #expect(store.read(name, from: 0, session: "one", window: nil) == nil)
    }
    _ = store.fitted(text, of: "a", session: "two", window: nil)
    store.remove(session: "two")
    #expect(store.read("a-1", from: 0, session: "two", window: nil) == nil)
    let beyond = store.read("a-1", from: 30_000, session: "one", window: nil)
    #expect(beyond?.contains("20000 bytes") == true)
  }
}
