import AgentKit
import Foundation
import Testing

@testable import Journal

/// Numbers in sessions that are exported to a file and imported from it.
struct SessionNumberTests {
  @Test func `Numbers keep their digits from a journal to a file and into another journal`()
    async throws
  {
    let json = #"{"id": 9007199254740993, "all": [18446744073709551615, -0, 1.50, 1e400, 0.1]}"#
    let arguments = try GeneratedContent(json: json)
    let call = Transcript.ToolCall(id: "c", toolName: "delete", arguments: arguments)
    let answer = Transcript.Entry.response(
      .init(
        metadata: ["cost": try GeneratedContent(json: "1234567890123456789012345.5")],
        segments: [.structure(.init(schemaName: "Any", content: arguments))]
      )
    )
    let (from, to) = (try JournalFile(), try JournalFile())
    let source = try from.open()
    let (conversation, turn) = try await source.beginTalk("numbers")
    for entry in [Transcript.Entry.toolCalls(.init([call])), .output("c"), answer] {
      try await source.append(entry, in: conversation, turn: turn)
    }
    try await source.end(turn, of: conversation)
    let path = from.folder.appending(path: "numbers.jsonl").path
    try await from.reader().export("numbers", to: path)
    let target = try to.open()
    try await target.importSession(from: path)
    let talk = try await target.conversation(named: "numbers", holder: "accountant")
    let history = try await to.reader().history(of: talk.id).map(\.entry)
    #expect(history.last == answer)
    let calls = history.compactMap { entry in
      if case .toolCalls(let calls) = entry { calls.first?.arguments.jsonString } else { nil }
    }
    #expect(calls == [json])
  }
}
