import Coordination
import Coordinator
import Transcripts

extension TurnReport {
  /// The events that told of the turn, as far as the journal has them.
  var events: [TurnEvent] {
    let begin = TurnEvent.accepted(turn: turn.turn, conversation: session)
    let said = turn.entries.flatMap { entry in events(of: entry) }
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
      tokensOut: turn.total.tokensOut
    )
  }

  private func events(of entry: TranscriptTree.Entry) -> [TurnEvent] {
    let agent = entry.agent ?? ""
    switch entry.entry {
    case .reasoning(let reasoning):
      return [.reasoned(agent: agent, text: reasoning.segments.joinedText)]
    case .toolCalls(let calls):
      return calls.map { call in
        .toolCall(
          id: call.id,
          agent: agent,
          tool: call.toolName,
          arguments: call.arguments.jsonString
        )
      }
    case .toolOutput(let output):
      return [
        .toolOutput(
          id: output.id,
          agent: agent,
          tool: output.toolName,
          text: output.segments.joinedText
        )
      ]
    case .response(let response):
      let text = response.segments.joinedText
      // Without usage it is text alongside calls.
      return [
        entry.request == nil ? .said(agent: agent, text: text) : .answered(agent: agent, text: text)
      ]
    case .instructions, .prompt: return []
    }
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
