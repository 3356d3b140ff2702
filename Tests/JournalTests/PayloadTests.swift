import AgentKit
import Foundation
import Testing

@testable import Journal

/// What is spelled by hand stands in the journal as what is encoded does.
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

  @Test func `and an entry that has more than most come through`() throws {
    let entry = Transcript.Entry.response(.init(assetIDs: ["m"], segments: []))
    #expect(entry.spelled() == nil)
    #expect(try Payload.decode(Payload.encode(entry)) == entry)
  }
}
