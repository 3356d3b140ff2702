import Foundation
import Testing
import Transcripts

@Suite struct `An edit of a history` {
  private func entries(_ ids: String, text: String = "") -> [Transcript.Entry] {
    ids.map { id in
      .prompt(.init(id: String(id), segments: [.text(.init(id: "s", content: "\(id)\(text)"))]))
    }
  }

  private func raw(_ entries: [Transcript.Entry]) throws -> ChunkedArray<RawEntry> {
    ChunkedArray(try entries.map(RawEntry.init))
  }

  @Test(arguments: [
    ("abc", "c"), ("abc", ""), ("", "abc"), ("abc", "xc"), ("abc", "cba"), ("abc", "axbxc"),
    ("aab", "ba"), ("aab", "baa"), ("abcdef", "abefcd"),
  ])
  func `leads from the one to the other`(old: String, new: String) throws {
    let edit = try #require(HistoryEdit(from: entries(old), to: entries(new)))
    #expect(try edit.applied(to: raw(entries(old))) == raw(entries(new)))
    #expect(try edit.check(old.count) == new.count)
    let copy = try JSONDecoder().decode(HistoryEdit.self, from: JSONEncoder().encode(edit))
    #expect(copy == edit)
  }

  @Test func `is none where nothing has changed`() {
    #expect(HistoryEdit(from: entries("abc"), to: entries("abc")) == nil)
    #expect(HistoryEdit(from: [], to: []) == nil)
  }

  @Test func `carries only what is new`() throws {
    let edit = try #require(HistoryEdit(from: entries("abcdef"), to: entries("xdefy")))
    #expect(edit.added.map(\.id) == ["x", "y"])
    #expect(edit.removedCount == 3)
    #expect(edit.pieces.count == 3)
  }

  @Test func `sees a changed entry that has kept its identity`() throws {
    let (old, new) = (entries("abc"), entries("a") + entries("b", text: "!") + entries("c"))
    let edit = try #require(HistoryEdit(from: old, to: new))
    #expect(edit.added == entries("b", text: "!"))
    #expect(try edit.applied(to: raw(old)) == raw(new))
  }

  @Test func `does not fit another history`() throws {
    let edit = try #require(HistoryEdit(from: entries("abc"), to: entries("c")))
    #expect(throws: HistoryEdit.Misfit(expected: 3, found: 2)) {
      try edit.applied(to: raw(entries("ab")))
    }
    // Nor does a made-up edit, whatever its numbers.
    for piece in [
      #"{"from":2,"count":2}"#, #"{"from":-1,"count":1}"#, #"{"from":0,"count":-1}"#,
      #"{"from":\#(Int.max),"count":1}"#, #"{"from":\#(Int.min),"count":-1}"#,
      #"{"from":1,"count":\#(Int.max)}"#,
    ] {
      let json = #"{"count":3,"pieces":[{"kept":\#(piece)}]}"#
      let forged = try JSONDecoder().decode(HistoryEdit.self, from: Data(json.utf8))
      #expect(throws: HistoryEdit.Misfit.self) { try forged.applied(to: raw(entries("abc"))) }
    }
  }
}
