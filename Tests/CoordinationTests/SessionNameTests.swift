import Foundation
import Journal
import Testing

@testable import Coordination

@Suite(.timeLimit(.minutes(5))) struct `The name of a session` {
  private static let composed = "caf\u{E9}"
  private static let decomposed = "cafe\u{301}"
  private static let spellings = [composed, decomposed]

  @Test(arguments: [
    "default", "api-2", "Rainy days, 2026", "折り紙", String(repeating: "\u{E9}", count: 200),
  ])
  func `is any short text`(name: String) throws {
    #expect(try SessionName.checked(name) == name)
  }

  @Test(arguments: [
    ("", SessionName.Fault.empty), ("talk\0", .control("\0")), ("a\tb", .control("\t")),
    ("\u{9B}", .control("\u{9B}")), (String(repeating: "a", count: 201), .tooLong(201)),
    ("x" + String(repeating: "\u{301}", count: 300), .tooLong(301)),
  ])
  func `is none that cannot be read, and says why`(name: String, fault: SessionName.Fault) {
    #expect(throws: fault) { try SessionName.checked(name) }
    #expect(fault.description.hasPrefix("The session name "))
    #expect(fault.description.hasSuffix("."))
  }

  @Test func `is not told from another by what comes after a NUL`() async throws {
    let table = try Table(["a": answering("hello")])
    try await table.say("hi")
    await #expect(throws: SessionName.Fault.control("\0")) {
      try await table.sessions.session(named: "talk\0again")
    }
    let names = try await Self.names(in: table)
    #expect(names == [Array("talk".utf8)])
  }

  @Test(arguments: spellings)
  func `is the same however it is spelled, also after a restart`(spelling: String) async throws {
    let table = try Table(["a": answering("hello")])
    let first = try await table.sessions.session(named: Self.decomposed)
    let second = try await table.sessions.session(named: Self.composed)
    #expect(ObjectIdentifier(first) == ObjectIdentifier(second))
    let later = try Table(["a": answering("hello")], after: table)
    _ = try await later.sessions.session(named: spelling)
    let names = try await Self.names(in: table)
    #expect(names == [Array(Self.composed.utf8)])
  }

  /// The names in the journal as bytes, which distinguish different spellings.
  private static func names(in table: Table) async throws -> [[UInt8]] {
    try await JournalReader(table.journal).conversations().compactMap(\.name)
      .map { Array($0.utf8) }
  }
}
