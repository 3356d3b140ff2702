import AgentKit
import Coordination
import Foundation
import Testing
import Wire

@testable import Journal

/// The JSON of events, which other programs read.
@Suite struct `An event of a turn as JSON` {
  private static let approval = ApprovalRecord(
    id: 7,
    session: "api",
    conversation: 2,
    turn: 3,
    agent: "guard",
    callID: "c",
    tool: "open",
    arguments: "{}",
    asked: Date(timeIntervalSince1970: 1)
  )

  private static func ended(_ exit: TurnExit, answer: String? = nil) -> TurnEvent {
    .ended(
      TurnSummary(
        turn: 3,
        exit: exit,
        holder: "coach",
        answer: answer,
        usage: RequestUsage(tokensIn: 5, tokensOut: 2),
        seconds: 0.5
      )
    )
  }

  private static let events: [(TurnEvent, fields: String)] = [
    (.accepted(turn: 1, conversation: "api"), "event session turn"),
    (
      .resumed(turn: 1, conversation: "api", prompt: "Go"),
      "event prompt session turn"
    ),
    (.workerReplaced(agent: "a", death: "it died"), "agent event reason"),
    (
      .text(
        agent: "a",
        TextChange(entryID: "e", isReasoning: false, keptBytes: 3, added: "x")
      ), "added agent entryID event isReasoning keptBytes"
    ),
    (.reasoned(agent: "a", text: "x"), "agent event text"),
    (.toolCall(id: "1", agent: "a", tool: "t", arguments: "{}"), "agent arguments event id tool"),
    (.toolOutput(id: "1", agent: "a", tool: "t", text: "x"), "agent event id text tool"),
    (
      .clientCalls([
        .init(id: "1", toolName: "t", arguments: GeneratedContent(properties: ["a": 1.5]))
      ]), "calls event"
    ),
    (.clientAnswered(turn: 7, calls: ["1"]), "calls event turn"),
    (.approvalAsked(approval), "approval event"),
    (.approvalAnswered(approval), "approval event"),
    (
      .context(
        agent: "a",
        ContextReport(
          exchanges: 1,
          cutOutputs: 0,
          tokensBefore: 9,
          tokensAfter: 4,
          window: 10,
          isSummarized: false,
          isShared: true
        )
      ), "agent event report"
    ),
    (.batonPassed(from: "a", to: "b"), "event from to"),
    (.friendPhoned(agent: "a", pid: 9, run: "r"), "agent event pid run"),
    (
      .friendGone(agent: "a", pid: 9, run: "r", tokens: 4, seconds: 0.25),
      "agent event pid run seconds tokens"
    ),
    (.coreAwaited(agent: "a", place: 1, cores: 2), "agent cores event place"),
    (
      .memoryAwaited(agent: "a", LaunchWait(place: 1, needed: 5, free: 2)),
      "agent event wait"
    ),
    (
      .hostAwaited(agent: "a", HostWait(host: "gpu1", state: .queued, reason: "Resources")),
      "agent event wait"
    ),
    (
      .serverAwaited(
        agent: "a",
        ServerWait(server: "http://there", reason: "503", seconds: 1, waited: 0)
      ),
      "agent event wait"
    ),
    (
      .toolProgress(id: "c", agent: "a", tool: "t", ToolProgress(done: 1, total: 2, message: "x")),
      "agent event id progress tool"
    ),
    (.said(agent: "a", text: "x"), "agent event text"),
    (.answered(agent: "a", text: "x"), "agent event text"),
    (.trouble("it is late"), "event reason"),
    (ended(.answered, answer: "Yes."), "answer event exit holder seconds turn usage"),
    (ended(.modeChanged, answer: "Yes."), "answer event exit holder seconds turn usage"),
    (ended(.finalAnswer, answer: "Yes."), "answer event exit holder seconds turn usage"),
    (ended(.cap("rounds")), "event exit holder reason seconds turn usage"),
    (ended(.cancelled), "event exit holder seconds turn usage"),
    (ended(.contextSizeExceeded("no")), "event exit holder reason seconds turn usage"),
    (ended(.refused("no")), "event exit holder reason seconds turn usage"),
    (ended(.failed("it fell")), "event exit holder reason seconds turn usage"),
  ]

  private static func json(_ event: TurnEvent) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(event)
  }

  @Test func `is one object with names for all that is in it, and reads back the same`() throws {
    for (event, fields) in Self.events {
      let data = try Self.json(event)
      let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      #expect(object.keys.sorted().joined(separator: " ") == fields)
      let text = String(decoding: data, as: UTF8.self)
      #expect(!text.contains("\"_"), "\(text)")
      let read = try JSONDecoder().decode(TurnEvent.self, from: data)
      #expect(read == event)
    }
  }

  @Test func `says how a turn ended in a word, and why`() throws {
    let text = String(decoding: try Self.json(Self.ended(.cap("rounds"))), as: UTF8.self)
    #expect(text.contains(#""exit":"cap""#) && text.contains(#""reason":"rounds""#), "\(text)")
  }

  @Test(arguments: [#"{}"#, #"{"event":"unheard of"}"#, #"{"event":"ended","exit":"later"}"#])
  func `is refused when it is none`(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(TurnEvent.self, from: Data(text.utf8))
    }
  }
}
