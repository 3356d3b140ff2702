import Coordination
import Coordinator
import Foundation
import Transcripts

/// What the header of a request says, besides its body.
struct RequestSource: Sendable {
  /// The key of a request that may be sent again.
  var key: String?
  /// The body, of a request with a key.
  var body = Data()
  /// The program that asks.
  var origin: String?
}

/// An answer that is under way, or is told again.
struct ModelAnswer: Sendable {
  let request: ModelRequest
  let session: String
  let source: RequestSource
  /// What the service was sent; sent again, it is joined.
  let sent: SentRequest
  var pump: EventPump<TurnEvent>
  let service: any CoordinatorService
  /// Counts as a turn for as long as the answer is written.
  let place: ModelSessions.Place
  /// Whether the events before `accepted` are of an earlier turn.
  var awaitsAcceptance = false
  /// Whether the request was sent before, whose answer keeps the key.
  var isRepeated = false
  /// The turn after which it comes, which no other request goes on from until this turn has begun.
  var takenUp: Int64?
}

/// What the service was sent.
enum SentRequest: Sendable {
  case prompt(PromptRequest)
  case outputs(ClientToolOutputs)
}

extension ModelAnswer {
  /// The end of the answer of a turn that waits for the client, with what it has cost so far.
  func waitingEnd(_ turn: Int64?) async -> AnswerEnd {
    var end = AnswerEnd(reason: .waiting)
    guard let turn, let report = try? await service.turn(turn) else { return end }
    end.usage = report.usage
    end.holder = report.holder
    return end
  }
}
