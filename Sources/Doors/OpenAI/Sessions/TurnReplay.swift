import Coordination
import Coordinator
import Transcripts

extension TurnReport {
  /// The events that told of the turn, as far as the journal has them.
  var events: [TurnEvent] {
    let begin = TurnEvent.accepted(turn: turn.turn, conversation: session)
    let said = turn.entries.flatMap { entry in
      // Without usage, a response is text alongside calls.
      TurnEvent.events(
        of: entry.entry,
        isAnswer: entry.request != nil,
        agent: entry.agent ?? ""
      )
    }
    guard let exit else { return [begin] + said }
    let summary = TurnSummary(
      turn: turn.turn,
      exit: exit,
      holder: holder,
      answer: nil,
      usage: usage,
      seconds: 0
    )
    return [begin] + said + [.ended(summary)]
  }

  var usage: RequestUsage {
    RequestUsage(
      tokensIn: turn.total.tokensIn,
      tokensCached: turn.total.tokensCached,
      tokensOut: turn.total.tokensOut,
      reasoningTokens: turn.total.reasoningTokens
    )
  }
}

extension TranscriptTree {
  /// What was said in the session, as far as it still counts.
  var said: [SaidMessage] {
    turns.filter { !$0.isReverted }.flatMap { turn in
      let messages = turn.entries.compactMap { entry -> ClientMessage? in
        switch entry.entry {
        case .prompt(let prompt):
          ClientMessage(role: .user, text: prompt.segments.filter { !$0.isImage }.joinedText)
        case .response(let response):
          ClientMessage(role: .assistant, text: response.segments.joinedText)
        case .instructions, .toolCalls, .toolOutput, .reasoning: nil
        }
      }
      return messages.merged.map { message in
        SaidMessage(turn: turn.turn, role: message.role, text: message.text)
      }.filter { !$0.text.trimmed.isEmpty }
    }
  }
}

extension Transcript.Segment {
  fileprivate var isImage: Bool { if case .attachment = self { true } else { false } }
}
