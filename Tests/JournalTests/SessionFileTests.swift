import AgentKit
import Foundation
import Testing

@testable import Journal

/// Sessions that are exported to a file and imported from it.
struct SessionFileTests {
  @Test func `What is taken from a file is what was written to it`() async throws {
    let (from, to) = (try JournalFile(), try JournalFile())
    let source = try from.open()
    // Rows of other sessions lie between its rows.
    for name in ["before", "moved", "after"] { try await source.play(name) }
    let target = try to.open()
    try await target.play("local")
    let path = from.folder.appending(path: "moved.jsonl").path
    let rows = try await from.reader().export("moved", to: path).rows
    #expect(rows == 17)
    #expect(try await target.importSession(from: path) == "moved")
    let inspection = try await to.reader().inspect()
    #expect(inspection.flaws == [])
    #expect(inspection.sessions == 2)
    // Exporting it again produces the same rows, without the path of a log that stayed behind.
    let again = to.folder.appending(path: "again.jsonl").path
    try await to.reader().export("moved", to: again)
    let content = try Data(contentsOf: URL(filePath: again))
    #expect(try await to.reader().export("moved").content == content)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let moved = text.replacing(#""log":"moved-1.log""#, with: #""log":"""#)
    #expect(moved != text)
    let copy = try String(contentsOfFile: again, encoding: .utf8)
    let rowsOfBoth = [moved, copy].map { $0.split(separator: "\n").dropLast() }
    #expect(rowsOfBoth[0] == rowsOfBoth[1])
    #expect(!text.contains("before"))
    // The imported session can continue.
    let talk = try await target.conversation(named: "moved", holder: "nobody")
    #expect(talk.holder == "b")
    let last = try await to.reader().history(of: talk.id).last
    #expect(last?.description.contains("done, moved") == true)
    _ = try await target.beginTurn(in: talk.id, prompt: .prompt("again"))
  }

  @Test func `No path of a log is taken from a file, and none that is known is lost`()
    async throws
  {
    let (from, to) = (try JournalFile(), try JournalFile())
    let source = try from.open()
    try await source.play("one")
    let path = from.folder.appending(path: "one.jsonl").path
    try await from.reader().export("one", to: path)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let changed = text.replacing(#""log":"one-1.log""#, with: #""log":"/etc/passwd""#)
    #expect(changed != text)
    try Self.seal(changed).write(toFile: path, atomically: true, encoding: .utf8)
    try await to.open().importSession(from: path)
    #expect(try await to.reader().runs().map(\.log) == [""])
    try await source.importSession(from: path, as: "copy")
    #expect(try await from.reader().runs().map(\.log) == ["one-1.log"])
  }

  @Test func `A copy can be written out and taken elsewhere as well`() async throws {
    let (from, to) = (try JournalFile(), try JournalFile())
    let source = try from.open()
    try await source.play("one")
    let path = from.folder.appending(path: "one.jsonl").path
    try await from.reader().export("one", to: path)
    #expect(try await source.importSession(from: path, as: "copy") == "copy")
    let copy = from.folder.appending(path: "copy.jsonl").path
    let rows = try await from.reader().export("copy", to: copy).rows
    #expect(rows == 17)
    #expect(try await to.open().importSession(from: copy) == "copy")
    #expect(try await to.reader().inspect().flaws == [])
  }

  @Test func `Every line is JSON by itself, and only its owner can read it`() async throws {
    let file = try JournalFile()
    try await file.open().play("one")
    let path = file.folder.appending(path: "one.jsonl").path
    try await file.reader().export("one", to: path)
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let objects = try lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(objects.first?["session"] as? String == "one")
    #expect(objects.last?["rows"] as? Int == lines.count - 2)
    let tables = Set(objects.compactMap { $0["table"] as? String })
    #expect(
      tables == [
        "conversation", "turn", "entry", "baton", "property", "historyEdit", "approval",
        "earlyOutput",
        "run",
      ]
    )
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `Nothing is written over`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    try await journal.play("one")
    let path = file.folder.appending(path: "one.jsonl").path
    try await file.reader().export("one", to: path)
    let before = try await file.reader().inspect()
    await #expect(throws: SessionError.fileExists(path)) {
      try await file.reader().export("one", to: path)
    }
    await #expect(throws: SessionError.nameTaken("one")) {
      try await journal.importSession(from: path)
    }
    #expect(try await file.reader().inspect() == before)
    #expect(try await journal.importSession(from: path, as: "two") == "two")
    #expect(try await file.reader().inspect().flaws == [])
    #expect(try await file.reader().conversations().map(\.name) == ["two", "one"])
    let none = file.folder.appending(path: "none.jsonl").path
    await #expect(throws: SessionError.unknown("none")) {
      try await file.reader().export("none", to: none)
    }
    #expect(!FileManager.default.fileExists(atPath: none))
  }

  @Test func `A file that was cut or changed anywhere is refused, and nothing is taken from it`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    try await journal.play("one")
    let path = file.folder.appending(path: "one.jsonl").path
    try await file.reader().export("one", to: path)
    let whole = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let before = try await file.reader().inspect()
    var random = SystemRandomNumberGenerator()
    for place in stride(from: 0, to: whole.count, by: whole.count / 60) {
      var changed = whole
      changed[place] ^= UInt8.random(in: 1...255, using: &random)
      for damaged in [Array(whole[..<place]), changed] {
        try Data(damaged).write(to: URL(filePath: path))
        await #expect(throws: SessionError.self, "at \(place)") {
          try await journal.importSession(from: path, as: "two")
        }
      }
    }
    #expect(try await file.reader().inspect() == before)
    try Data(whole).write(to: URL(filePath: path))
    try await journal.importSession(from: path, as: "two")
  }

  @Test func `A file whose checksum is right and whose content is wrong is refused as well`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    try await journal.play("one")
    let path = file.folder.appending(path: "one.jsonl").path
    try await file.reader().export("one", to: path)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for (old, new) in [
      (#""callID":"pass""#, #""callID":"none""#), (#""table":"baton""#, #""table":"secret""#),
      (#""holder":"b""#, #""holder; DROP TABLE entry":"b""#), (#""turn":1,"#, #""turn":9,"#),
      (#""session":"one""#, #""session":"three""#), (#"\"from\":1"#, #"\"from\":2"#),
      (#"\"count\":4"#, #"\"count\":5"#), (#""request":null"#, Self.endlessRequest),
    ] {
      let changed = text.replacing(old, with: new, maxReplacements: 1)
      #expect(changed != text)
      try Self.seal(changed).write(toFile: path, atomically: true, encoding: .utf8)
      let error = await #expect(throws: SessionError.self) {
        try await journal.importSession(from: path, as: "two")
      }
      guard case .damaged = error else {
        Issue.record("\(new): \(String(describing: error))")
        continue
      }
    }
    // Proves that sealing works: an unchanged file is accepted.
    try Self.seal(text).write(toFile: path, atomically: true, encoding: .utf8)
    try await journal.importSession(from: path, as: "two")
  }

  @Test
  func `A file of a newer orchestrator is refused, and one of an older is brought up to date`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    try await journal.play("one")
    let path = file.folder.appending(path: "one.jsonl").path
    try await file.reader().export("one", to: path)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for newer in [
      text.replacing(#""version":1"#, with: #""version":2"#, maxReplacements: 1),
      text.replacing(#""schema":["1""#, with: #""schema":["1","999""#, maxReplacements: 1),
    ] {
      try Self.seal(newer).write(toFile: path, atomically: true, encoding: .utf8)
      await #expect(throws: SessionError.newer(path)) {
        try await journal.importSession(from: path, as: "two")
      }
    }
    let older = """
      {"format":"orchestrator session","schema":["1"],"session":"old","version":1}
      {"row":{"created":1,"holder":"a","id":1,"name":"old"},"table":"conversation"}
      {"row":{"conversation":1,"id":1,"started":2},"table":"turn"}

      """
    let prompt = try #require(
      text.split(separator: "\n").first { $0.contains(#""table":"entry""#) }
    )
    let line = prompt.replacing(#""request":null,"#, with: "")
    #expect(line != prompt)
    try Self.seal(older + line + "\n{}\n").write(toFile: path, atomically: true, encoding: .utf8)
    try await journal.importSession(from: path)
    #expect(try await file.reader().inspect(session: "old").entries == 1)
    let old = try await journal.conversation(named: "old", holder: "a")
    #expect(try await file.reader().turns(of: old.id).map(\.isImported) == [true])
  }

  @Test(arguments: [
    ("", SessionName.Fault.empty), (#"o\u0007ne"#, .control("\u{7}")),
    (String(repeating: "a", count: 201), .tooLong(201)),
  ])
  func `A file whose session cannot be named so here is taken under another name`(
    name: String,
    fault: SessionName.Fault
  ) async throws {
    let file = try JournalFile()
    let journal = try file.open()
    try await journal.play("one")
    let path = file.folder.appending(path: "one.jsonl").path
    try await file.reader().export("one", to: path)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let renamed = text.replacing(#""session":"one""#, with: #""session":"\#(name)""#)
      .replacing(#""name":"one""#, with: #""name":"\#(name)""#)
    try Self.seal(renamed).write(toFile: path, atomically: true, encoding: .utf8)
    await #expect(throws: SessionError.unusableName(path, fault)) {
      try await journal.importSession(from: path)
    }
    #expect("\(SessionError.unusableName(path, fault))".contains("--as NAME"))
    await #expect(throws: SessionName.Fault.control("\n")) {
      try await journal.importSession(from: path, as: "a\nb")
    }
    #expect(try await file.reader().conversations().map(\.name) == ["one"])
    #expect(try await journal.importSession(from: path, as: "two") == "two")
    #expect(try await file.reader().inspect().flaws == [])
  }

  @Test func `A session is not taken beside one whose name is only spelled in another way`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    // The name is spelled as an older version would have journaled it.
    try await journal.play(decomposed)
    let path = file.folder.appending(path: "one.jsonl").path
    try await file.reader().export(decomposed, to: path)
    for name in [nil, composed, decomposed] {
      await #expect(throws: SessionError.nameTaken(composed)) {
        try await journal.importSession(from: path, as: name)
      }
    }
    // A journal that lacks the session stores its name in the normalized spelling.
    let other = try JournalFile()
    let taken = try await other.open().importSession(from: path)
    #expect(Array(taken.utf8) == Array(composed.utf8))
    let names = try await other.reader().conversations().compactMap(\.name)
    #expect(names.map { Array($0.utf8) } == [Array(composed.utf8)])
  }

  /// A request with an impossible token count, to which no other could be added.
  private static let endlessRequest =
    #""request":"{\"seconds\":1,\"secondsToFirstToken\":1,\"tokensCached\":0,\"tokensIn\":0,"#
    + #"\"tokensOut\":9223372036854775807}""#

  /// Replaces the last line with a footer that matches the other lines.
  private static func seal(_ text: String) -> String {
    let lines = text.split(separator: "\n").dropLast().map { $0 + "\n" }
    let sum = SessionFile.digits(of: SessionFile.checksum(Array(lines.joined().utf8)))
    return lines.joined() + #"{"checksum":"\#(sum)","rows":\#(lines.count - 1)}"# + "\n"
  }
}
