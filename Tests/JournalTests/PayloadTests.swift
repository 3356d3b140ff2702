import AgentKit
import Foundation
import GRDB
import Testing

@testable import Journal

/// Handwritten JSON must equal what the encoder produces.
@Suite struct `What a request took` {
  private static let requests: [RequestRecord] = [
    RequestRecord(
      tokensIn: 10,
      tokensCached: 4,
      tokensOut: 3,
      secondsToFirstToken: 0.125,
      seconds: 1.5
    ),
    RequestRecord(
      tokensIn: 0,
      tokensCached: 0,
      tokensOut: 0,
      secondsToFirstToken: 0,
      seconds: 0,
      contextSize: 4096
    ),
    RequestRecord(
      tokensIn: 1,
      tokensCached: 1,
      tokensOut: 1,
      secondsToFirstToken: 1,
      seconds: 1,
      cacheBreak: "at token 3",
      contextSize: 4096
    ),
  ]

  @Test(arguments: requests)
  func `stands in the journal as it is encoded`(request: RequestRecord) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = try Payload.encode(request)
    #expect(try text == String(decoding: encoder.encode(request), as: UTF8.self))
    #expect(try Payload.decode(text) == request)
    #expect((request.spelled() == nil) == (request.cacheBreak != nil))
  }

  @Test func `has no field that nobody spells`() {
    #expect(
      Mirror(reflecting: Self.requests[0]).children.map(\.label) == [
        "tokensIn", "tokensCached", "tokensOut", "secondsToFirstToken", "seconds", "cacheBreak",
        "contextSize",
      ]
    )
  }

  @Test func `and an entry that has more than most come through`() throws {
    let entry = Transcript.Entry.response(.init(assetIDs: ["m"], segments: []))
    #expect(entry.spelled() == nil)
    #expect(try Payload.decode(Payload.encode(entry)) == entry)
  }
}

@Suite struct `Entries that are written together` {
  @Test func `are all there, or none is`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    let texts = ["first", "second"]
    let payloads = try texts.map { text in
      try EntryPayload(.response(.init(segments: [.text(.init(content: text))])))
    }
    func append() async throws -> [EntryRecord] {
      try await journal.append(
        payloads,
        conversation: conversation,
        turn: turn,
        agent: "a",
        run: "a-1"
      )
    }
    try await journal.database.write { db in
      try db.execute(
        sql: """
          CREATE TRIGGER refusal BEFORE INSERT ON entry WHEN NEW.payload LIKE '%second%'
          BEGIN SELECT RAISE(ABORT, 'no'); END
          """
      )
    }
    let before = try await file.reader().entries(of: conversation).count
    await #expect(throws: JournalError.self) { try await append() }
    #expect(try await file.reader().entries(of: conversation).count == before)
    try await journal.database.write { try $0.execute(sql: "DROP TRIGGER refusal") }
    let records = try await append()
    #expect(records.map(\.entry) == payloads.map(\.entry))
    let written = try await file.reader().entries(of: conversation).dropFirst(before)
    #expect(written.map(\.id) == records.map(\.id))
    #expect(written.map(\.entry) == records.map(\.entry))
  }
}
