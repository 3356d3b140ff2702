import AgentKit
import Foundation
import Testing

@testable import Journal

/// Sessions that are exported to a file and imported from it.
struct SessionFileTests {
  @Test func `What is taken from a file is what was written to it`() async throws {
    let (from, to) = (try JournalFile(), try JournalFile())
    let source = try from.open()
    // Facts of other sessions lie between its facts.
    for name in ["before", "moved", "after"] { try await source.play(name) }
    let target = try to.open()
    try await target.play("local")
    let path = from.folder.appending(path: "moved.jsonl").path
    let rows = try await from.reader().export("moved", to: path).rows
    #expect(rows == Journal.playedFacts)
    #expect(try await target.importSession(from: path) == "moved")
    let inspection = try await to.reader().inspect()
    #expect(inspection.flaws == [])
    #expect(inspection.sessions == 2)
    // Exporting it again produces the same facts, without the path of a log that stayed behind.
    let again = to.folder.appending(path: "again.jsonl").path
    try await to.reader().export("moved", to: again)
    let content = try Data(contentsOf: URL(filePath: again))
    #expect(try await to.reader().export("moved").content == content)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let moved = text.replacing(#"\"log\":\"moved-1.log\""#, with: #"\"log\":\"\""#)
    #expect(moved != text)
    let copy = try String(contentsOfFile: again, encoding: .utf8)
    let rowsOfBoth = [moved, copy].map { $0.split(separator: "\n").dropLast() }
    #expect(rowsOfBoth[0] == rowsOfBoth[1])
    #expect(!text.contains("before"))
    // The imported session can continue.
    let talk = try await target.conversation(named: "moved", holder: "a")
    #expect(talk.holder == "b")
    let last = try await to.reader().history(of: talk.id).last
    #expect(last?.entry.description.contains("done, moved") == true)
    try await target.beginTurn("again", in: talk.id)
  }

  @Test func `What is read of a session from a place on is what its file has`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    for name in ["before", "one", "after"] { try await journal.play(name) }
    let reader = try file.reader()
    let rows = try await reader.rows(ofSession: "one", after: 0)
    let lines = try await reader.export("one").content.split(separator: UInt8(ascii: "\n"))
    let exported = try lines.dropFirst().dropLast().map {
      try JSONDecoder().decode(FactRow.self, from: $0)
    }
    #expect(rows.map(\.kind) == exported.map(\.kind))
    #expect(rows.map(\.at) == exported.map(\.at))
    let places = rows.compactMap(\.id)
    #expect(places == places.sorted() && places.count == Journal.playedFacts)
    #expect(try await reader.rows(ofSession: "one", after: places[7]) == Array(rows.dropFirst(8)))
    #expect(try await reader.rows(ofSession: "one", after: places[18]) == [])
    await #expect(throws: SessionError.self) { try await reader.rows(ofSession: "none", after: 0) }
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
    let changed = text.replacing("one-1.log", with: "/etc/passwd")
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
    #expect(rows == Journal.playedFacts)
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
    #expect(objects.dropFirst().dropLast().map { $0["id"] as? Int } == Array(1...lines.count - 2))
    #expect(objects.dropFirst().first?["kind"] as? String == "began")
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
    func expectRefusal(_ changed: String) async throws {
      try Self.seal(changed).write(toFile: path, atomically: true, encoding: .utf8)
      let error = await #expect(throws: SessionError.self) {
        try await journal.importSession(from: path, as: "two")
      }
      guard case .damaged = error else {
        Issue.record("\(changed): \(String(describing: error))")
        return
      }
    }
    for (old, new) in [
      (#""kind":"passedBaton""#, #""kind":"secret""#), (#""conversation":2"#, #""conversation":3"#),
      (#""turn":1"#, #""turn":9"#), (#""turn":1,"#, #""turn":null,"#),
      (#""session":"one""#, #""session":"three""#), (#"\"name\":\"one\""#, #"\"name\":null"#),
      (#"\"turn\":1"#, #"\"turn\":2"#), (#"\"turn\":1"#, #"\"turn\":9223372036854775807"#),
      (#"\"question\":"#, #"\"question\":9"#), (#"{\"callID\":\"ask\",\"conversation\":2"#, "{"),
      (#"\"conversation\":2"#, #"\"conversation\":3"#), (#"\"from\":1"#, #"\"from\":2"#),
      (#"\"count\":4"#, #"\"count\":5"#),
      (#"\"tokensOut\":11"#, #"\"tokensOut\":9223372036854775807"#),
      (#""run":"one-1""#, #""run":null"#), (#""at":1"#, #""at":1e30"#),
    ] {
      let changed = text.replacing(old, with: new, maxReplacements: 1)
      #expect(changed != text, "\(old)")
      try await expectRefusal(changed)
    }
    // Facts twice, missing, in another order, and of a second session.
    let lines = text.split(separator: "\n").map { $0 + "\n" }
    for (start, rest) in [([0, 1, 1], 2), ([0], 2), ([0, 2, 1], 3), ([0, 1, 3], 4)] {
      let places = start + Array(rest..<lines.count)
      try await expectRefusal(places.map { lines[$0] }.joined())
    }
    // A friend that is phoned twice, or phones itself.
    let phoned = try #require(lines.firstIndex { $0.contains(#""kind":"phoned""#) })
    let other = lines[phoned].replacing(#""conversation":1"#, with: #""conversation":2"#)
      .replacing(#""turn":1"#, with: #""turn":2"#)
    #expect(other != lines[phoned])
    for line in [lines[phoned], other] {
      try await expectRefusal((lines[...phoned] + [line] + lines[(phoned + 1)...]).joined())
    }
    let second = lines[1].replacing(#""conversation":1"#, with: #""conversation":7"#)
    try await expectRefusal((lines[0...1] + [second] + lines[2...]).joined())
    #expect(try await file.reader().conversations().map(\.name) == ["one"])
    #expect(try await file.reader().inspect().flaws == [])
    // Proves that sealing works: an unchanged file is accepted.
    try Self.seal(text).write(toFile: path, atomically: true, encoding: .utf8)
    try await journal.importSession(from: path, as: "two")
  }

  @Test func `A file in another format is refused`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    try await journal.play("one")
    let path = file.folder.appending(path: "one.jsonl").path
    try await file.reader().export("one", to: path)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let newer = text.replacing(#""version":1"#, with: #""version":2"#, maxReplacements: 1)
    try Self.seal(newer).write(toFile: path, atomically: true, encoding: .utf8)
    await #expect(throws: SessionError.newer(path)) {
      try await journal.importSession(from: path, as: "two")
    }
    // What a session was before it was a log.
    let older = """
      {"format":"orchestrator session","schema":["1"],"session":"old","version":1}
      {"row":{"created":1,"holder":"a","id":1,"name":"old"},"table":"conversation"}
      {}

      """
    try Self.seal(older).write(toFile: path, atomically: true, encoding: .utf8)
    let error = await #expect(throws: SessionError.self) {
      try await journal.importSession(from: path)
    }
    guard case .damaged = error else {
      Issue.record("\(String(describing: error))")
      return
    }
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
      .replacing(#"\"name\":\"one\""#, with: #"\"name\":\"\#(Self.escaped(name))\""#)
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

  /// Escapes JSON that is part of a string.
  private static func escaped(_ json: String) -> String {
    json.replacing("\\", with: "\\\\")
  }

  /// Replaces the last line with a footer that matches the other lines.
  private static func seal(_ text: String) -> String {
    let lines = text.split(separator: "\n").dropLast().map { $0 + "\n" }
    let sum = SessionFile.checksum(Array(lines.joined().utf8))
    return lines.joined() + #"{"checksum":"\#(sum)","rows":\#(lines.count - 1)}"# + "\n"
  }
}
