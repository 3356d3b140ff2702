import AgentKit
import Transcripts
import Wire

/// A worker that answers every turn at once, as the messages that cross its pipe.
struct PlayedWorker {
  private var turn = 0
  private var request = 0

  /// What it says before it is told anything.
  static func beginning(pid: Int32, fingerprint: String) -> [FromWorker] {
    [
      .greeting(Greeting(pid: pid, fingerprint: fingerprint)),
      .ready(Readiness(model: nil)),
    ]
  }

  /// What it says to a message.
  mutating func answer(to message: ToWorker) throws -> [FromWorker] {
    switch message {
    case .turn(let order):
      turn = order.turn
      return [ask(.admission(.round))]
    case .reply(_, .admission):
      let response = Transcript.Response(segments: [.text(.init(content: "done"))])
      let usage = RequestUsage(tokensIn: 10, tokensOut: 1, seconds: 0.001)
      return [ask(.record([try RawEntry(.response(response))], usage))]
    case .reply(_, .recorded): return [.ended(turn: turn, .answered)]
    case .fit(let id, _): return [.fit(id: id, ContextFit(tokens: 10, window: 4096))]
    case .ping(let number): return [.pong(number)]
    case .shutdown: return [.farewell(.done)]
    default: return []
    }
  }

  private mutating func ask(_ question: WorkerRequest) -> FromWorker {
    request += 1
    return .request(id: request, turn: turn, question)
  }
}
