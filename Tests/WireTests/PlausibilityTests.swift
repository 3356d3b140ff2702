import AgentKit
import Foundation
import Testing
import Wire

@Suite struct `What a worker says that cannot be` {
  @Test(arguments: Samples.fromWorker)
  func `is nothing of what an honest one says`(message: FromWorker) {
    #expect(message.implausibility == nil)
  }

  @Test(arguments: [-1, .min, .max, 1 << 41])
  func `is a count below nothing, or of more than there can be`(count: Int) {
    let messages: [FromWorker] = [
      figures { $0.tokensIn = count }, figures { $0.tokensCached = count },
      figures { $0.tokensOut = count }, figures { $0.contextSize = count },
      .text(turn: 1, TextChange(entryID: "e", isReasoning: false, keptBytes: count, added: "")),
      .fitted(turn: 1, ContextFit(tokens: count, window: 512)),
      .fitted(turn: 1, ContextFit(tokens: 1, window: count)),
      .ready(Readiness(model: ModelDescription(name: "m", contextSize: count))),
      .state(
        turn: 1,
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
    for message in messages { #expect(message.implausibility != nil, "\(message)") }
  }

  @Test func `is a name that no file and no model has`() {
    func ready(_ length: Int) -> FromWorker {
      .ready(Readiness(model: .init(name: String(repeating: "m", count: length), contextSize: 1)))
    }
    #expect(ready(1024).implausibility == nil)
    #expect(ready(1025).implausibility == "bytes of a name: 1025")
    let tools = [String](repeating: "a", count: 9)
    for names in [tools, [String(repeating: "t", count: 1025)]] {
      let exhausted = FromWorker.exhausted(Exhaustion(.memory, bound: 1, tools: names))
      #expect(exhausted.implausibility != nil)
    }
  }

  @Test(arguments: [-0.5, 1e308, .infinity, .nan])
  func `is a time that no clock shows`(seconds: Double) {
    #expect(figures { $0.seconds = seconds }.implausibility != nil)
    #expect(figures { $0.secondsToFirstToken = seconds }.implausibility != nil)
    let wait = ServerWait(server: "s", reason: "r", seconds: seconds, waited: 0)
    #expect(FromWorker.serverWait(turn: 1, wait).implausibility != nil)
  }

  @Test func `is an edit that keeps entries more than once`() throws {
    let entries = (0..<4).map { number in
      Transcript.Entry.response(.init(segments: [.text(.init(content: "\(number)"))]))
    }
    let edit = try #require(HistoryEdit(from: entries, to: entries.reversed()))
    #expect(state(edit).implausibility == nil)
    for piece in [#"{"from":0,"count":9}"#, #"{"from":-1,"count":1}"#, #"{"from":0,"count":-1}"#] {
      let json = #"{"count":4,"pieces":[{"kept":\#(piece)},{"kept":{"from":0,"count":1}}]}"#
      let forged = try JSONDecoder().decode(HistoryEdit.self, from: Data(json.utf8))
      #expect(state(forged).implausibility != nil, "\(piece)")
    }
  }

  @Test(arguments: Samples.toWorker)
  func `is nothing of what an honest coordinator says`(message: ToWorker) {
    #expect(message.implausibility == nil)
  }

  @Test func `is refused by whoever reads it, and is no message`() throws {
    for message: ToWorker in [
      .recorded(turn: 1, entryID: "e", admittedCalls: -1),
      .recorded(
        turn: 1,
        entryID: "e",
        admittedCalls: 1,
        next: .admitted(.go(maximumTokens: -1))
      ),
      .turn(TurnOrder(turn: 1, kept: -1, added: [])),
    ] {
      var decoder = MessageDecoder<ToWorker>()
      decoder.append(try MessageEncoder().frames(of: message).flatMap(\.bytes))
      let breach = #expect(throws: WireBreach.self) { try decoder.next() }
      guard case .implausible? = breach else {
        Issue.record("\(String(describing: breach))")
        return
      }
    }
  }

  private func figures(_ change: (inout RequestFigures) -> Void) -> FromWorker {
    var figures = RequestFigures()
    change(&figures)
    return .entry(turn: 1, .response(.init(segments: [])), figures: figures)
  }

  private func state(_ edit: HistoryEdit) -> FromWorker {
    .state(turn: 1, StateChange(properties: [:], history: edit))
  }
}
