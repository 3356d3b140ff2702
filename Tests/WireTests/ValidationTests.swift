import AgentKit
import Foundation
import Testing
import Wire

@Suite struct `Validation of messages` {
  @Test(arguments: Samples.fromWorker)
  func `accepts what a correct worker sends`(message: FromWorker) {
    #expect(throws: Never.self) { try message.validate() }
  }

  @Test(arguments: [-1, .min, .max, 1 << 41])
  func `refuses counts below zero and above the limit`(count: Int) throws {
    let messages: [FromWorker] = [
      try record { $0.tokensIn = count }, try record { $0.tokensCached = count },
      try record { $0.tokensOut = count }, try record { $0.contextSize = count },
      .text(turn: 1, TextChange(entryID: "e", isReasoning: false, keptBytes: count, added: "")),
      .fit(id: 1, ContextFit(tokens: count, window: 512)),
      .fit(id: 1, ContextFit(tokens: 1, window: count)),
      .ready(Readiness(model: ModelDescription(name: "m", contextSize: count))),
      state(
        StateChange(
          properties: [:],
          context: ContextReport(
            exchanges: 1,
            cutOutputs: 0,
            tokensBefore: count,
            tokensAfter: 1,
            window: 512,
            isSummarized: false,
            isShared: false
          )
        )
      ),
    ]
    for message in messages {
      #expect(throws: InvalidValue.self, "\(message)") { try message.validate() }
    }
  }

  @Test func `refuses names that are too long`() throws {
    func ready(_ length: Int) -> FromWorker {
      .ready(Readiness(model: .init(name: String(repeating: "m", count: length), contextSize: 1)))
    }
    try ready(1024).validate()
    #expect(throws: InvalidValue("bytes of a name: 1025")) { try ready(1025).validate() }
    let tools = [String](repeating: "a", count: 9)
    for names in [tools, [String(repeating: "t", count: 1025)]] {
      let exhausted = FromWorker.exhausted(Exhaustion(.memory, bound: 1, tools: names))
      #expect(throws: InvalidValue.self) { try exhausted.validate() }
    }
  }

  @Test(arguments: [-0.5, 1e308, .infinity, .nan])
  func `refuses durations that are negative, infinite or too long`(seconds: Double) throws {
    #expect(throws: InvalidValue.self) { try record { $0.seconds = seconds }.validate() }
    #expect(throws: InvalidValue.self) {
      try record { $0.secondsToFirstToken = seconds }.validate()
    }
    let wait = ServerWait(server: "s", reason: "r", seconds: seconds, waited: 0)
    #expect(throws: InvalidValue.self) { try FromWorker.serverWait(turn: 1, wait).validate() }
  }

  @Test func `refuses an edit that keeps entries more than once`() throws {
    let entries = (0..<4).map { number in
      Transcript.Entry.response(.init(segments: [.text(.init(content: "\(number)"))]))
    }
    let edit = try #require(HistoryEdit(from: entries, to: entries.reversed()))
    try state(StateChange(properties: [:], history: edit)).validate()
    for piece in [#"{"from":0,"count":9}"#, #"{"from":-1,"count":1}"#, #"{"from":0,"count":-1}"#] {
      let json = #"{"count":4,"pieces":[{"kept":\#(piece)},{"kept":{"from":0,"count":1}}]}"#
      let forged = try JSONDecoder().decode(HistoryEdit.self, from: Data(json.utf8))
      #expect(throws: InvalidValue.self, "\(piece)") {
        try state(StateChange(properties: [:], history: forged)).validate()
      }
    }
  }

  @Test(arguments: Samples.toWorker)
  func `accepts what a correct coordinator sends`(message: ToWorker) {
    #expect(throws: Never.self) { try message.validate() }
  }

  @Test func `happens when a message is decoded`() throws {
    for message: ToWorker in [
      .reply(id: 1, .recorded(AdmittedCalls(count: -1))),
      .reply(id: 1, .recorded(AdmittedCalls(count: 1, repeated: [-1]))),
      .reply(id: 1, .admission(.admitted(.go(maximumTokens: -1)))),
      .turn(TurnOrder(turn: 1, kept: -1, added: [])),
    ] {
      var decoder = MessageDecoder<ToWorker>()
      decoder.append(try MessageEncoder().frames(of: message).flatMap(\.bytes))
      let breach = #expect(throws: WireBreach.self) { try decoder.next() }
      guard case .invalidValue? = breach else {
        Issue.record("\(String(describing: breach))")
        return
      }
    }
  }

  private func record(_ change: (inout RequestUsage) -> Void) throws -> FromWorker {
    var usage = RequestUsage()
    change(&usage)
    let response = try RawEntry(.response(.init(segments: [])))
    return .request(id: 1, turn: 1, .record([response], usage))
  }

  private func state(_ change: StateChange) -> FromWorker {
    .request(id: 1, turn: 1, .recordState(change))
  }
}
