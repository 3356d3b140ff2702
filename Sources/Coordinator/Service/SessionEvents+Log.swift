import Coordination
import Journal
import Logging
import Transcripts

extension SessionEvents {
  /// Logs what happens in turns; text, tools and their arguments stay out of it.
  func log(_ event: TurnEvent, _ session: String) {
    var facts: Logger.Metadata = ["session": "\(session)"]
    switch event {
    case .accepted(let turn, _):
      facts["turn"] = "\(turn)"
      logger.info("turn began", metadata: facts)
    case .resumed(let turn, _, _):
      facts["turn"] = "\(turn)"
      logger.info("resuming an interrupted turn", metadata: facts)
    case .workerReplaced(let agent, let death):
      facts["agent"] = "\(agent)"
      logger.info("worker replaced: \(death)", metadata: facts)
    case .batonPassed(let from, let to):
      facts["agent"] = "\(to)"
      logger.info("baton passed by \(from)", metadata: facts)
    case .friendPhoned(let agent, let pid, let run):
      (facts["agent"], facts["run"]) = ("\(agent)", "\(run)")
      logger.info("friend began (pid \(pid))", metadata: facts)
    case .friendGone(let agent, _, let run, let tokens, _):
      (facts["agent"], facts["run"]) = ("\(agent)", "\(run)")
      logger.info("friend ended (\(tokens) tokens)", metadata: facts)
    case .toolCall(_, let agent, let tool, _):
      facts["agent"] = "\(agent)"
      logger.debug("calls \(tool)", metadata: facts)
    case .clientCalls(let calls):
      logger.info("turn waits for its client to perform \(calls.count) calls", metadata: facts)
    case .clientAnswered(let turn, _):
      facts["turn"] = "\(turn)"
      logger.info("client has performed calls", metadata: facts)
    case .trouble(let problem): logger.info("\(problem)", metadata: facts)
    case .ended(let summary):
      (facts["agent"], facts["turn"]) = ("\(summary.holder)", "\(summary.turn)")
      logger.info("turn ended: \(summary.exit)", metadata: facts)
    default: break
    }
  }
}

extension TurnEvent {
  /// The bytes of the texts in it, as far as they may be long.
  var textBytes: Int {
    switch self {
    case .toolCall(_, _, _, let text), .toolOutput(_, _, _, let text), .reasoned(_, let text),
      .said(_, let text), .answered(_, let text), .resumed(_, _, let text), .trouble(let text):
      text.utf8.count
    case .ended(let summary): summary.answer?.utf8.count ?? 0
    case .clientCalls(let calls): calls.reduce(0) { $0 + $1.arguments.jsonString.utf8.count }
    case .approvalAsked(let record), .approvalAnswered(let record): record.arguments.utf8.count
    default: 0
    }
  }
}
