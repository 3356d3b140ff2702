package import Journal
package import Transcripts

/// An event shown to those who watch a turn.
package enum TurnEvent: Sendable, Equatable {
  /// The prompt is on disk.
  case accepted(turn: Int64, conversation: String)
  /// A turn continues during which an earlier coordinator ended.
  case resumed(turn: Int64, conversation: String, prompt: String)
  /// A worker died in the middle of the turn, and another continues from the last entry.
  ///
  /// What was shown of an unfinished entry no longer counts.
  case workerReplaced(agent: String, death: String)
  /// The current text of an unfinished answer, or of the reasoning before it.
  case text(agent: String, TextChange)
  /// A model has reasoned, before calls or an answer.
  case reasoned(agent: String, text: String)
  /// A model calls a tool.
  case toolCall(id: String, agent: String, tool: String, arguments: String)
  /// A tool has returned, with all of its text.
  case toolOutput(id: String, agent: String, tool: String, text: String)
  /// A tool that takes long says how far it has come.
  case toolProgress(id: String, agent: String, tool: String, ToolProgress)
  /// A call waits for a person's approval, or its server for an answer; the question is on disk.
  case approvalAsked(ApprovalRecord)
  /// A call was approved or denied.
  case approvalAnswered(ApprovalRecord)
  /// The turn waits for the client to perform these calls; which calls those are is on disk.
  ///
  /// The events of a prompt end here, and the turn goes on when the client submits the outputs.
  case clientCalls([Transcript.ToolCall])
  /// The client has performed calls, whose outputs are on disk.
  case clientAnswered(turn: Int64, calls: [String])
  /// An agent's context was reduced to fit its window.
  case context(agent: String, ContextReport)
  /// The baton goes to another agent.
  case batonPassed(from: String, to: String)
  /// A friend is being asked, in a process of its own.
  case friendPhoned(agent: String, pid: Int32, run: String)
  /// A friend is gone.
  case friendGone(agent: String, pid: Int32, run: String, tokens: Int, seconds: Double)
  /// An agent waits for a core at this place in the queue, because others use all of them.
  case coreAwaited(agent: String, place: Int, cores: Int)
  /// An agent's worker cannot be started yet for lack of memory.
  case memoryAwaited(agent: String, LaunchWait)
  /// An agent's worker cannot be started yet because its host is not there.
  case hostAwaited(agent: String, HostWait)
  /// A request of an agent waits for a server that refuses it for a while.
  case serverAwaited(agent: String, ServerWait)
  /// An agent has said something alongside calls, which is not an answer.
  case said(agent: String, text: String)
  /// An agent has answered.
  case answered(agent: String, text: String)
  /// Something went wrong that does not end the turn.
  case trouble(String)
  /// The turn is over.
  case ended(TurnSummary)
}

extension TurnEvent {
  /// Returns the events of an entry that an agent has made.
  /// - Parameter isAnswer: Whether a response is an answer, rather than text alongside calls.
  package static func events(
    of entry: Transcript.Entry,
    isAnswer: Bool,
    agent: String
  ) -> [TurnEvent] {
    switch entry {
    case .toolCalls(let calls):
      calls.map { call in
        let arguments = call.arguments.jsonString
        return .toolCall(id: call.id, agent: agent, tool: call.toolName, arguments: arguments)
      }
    case .toolOutput(let output):
      [
        .toolOutput(
          id: output.id,
          agent: agent,
          tool: output.toolName,
          text: output.segments.joinedText
        )
      ]
    case .response(let response):
      [
        isAnswer
          ? .answered(agent: agent, text: response.segments.joinedText)
          : .said(agent: agent, text: response.segments.joinedText)
      ]
    case .reasoning(let reasoning):
      [.reasoned(agent: agent, text: reasoning.segments.joinedText)]
    case .instructions, .prompt: []
    }
  }

  /// Whether the caller of a friend is shown the event: only what is about phoning; a friend's words
  /// stay its own.
  var concernsCaller: Bool {
    switch self {
    case .friendPhoned, .friendGone, .coreAwaited, .memoryAwaited, .hostAwaited, .serverAwaited,
      .approvalAsked, .approvalAnswered, .context, .trouble:
      true
    case .accepted, .resumed, .clientCalls, .clientAnswered, .workerReplaced, .text, .reasoned,
      .toolCall, .toolOutput, .toolProgress, .batonPassed, .said, .answered, .ended:
      false
    }
  }

  /// Whether the event shows a finished entry, or a part of one.
  package var isEntry: Bool {
    switch self {
    case .reasoned, .toolCall, .toolOutput, .said, .answered: true
    default: false
    }
  }

  /// The growing entry that the event reports, with its approximate bytes; `nil` for final events.
  package var unfinishedText: (entry: String, bytes: Int)? {
    guard case .text(let agent, let change) = self else { return nil }
    // What surrounds the text counts too, because the text may be empty.
    let bytes = change.added.utf8.count + change.entryID.utf8.count + agent.utf8.count + 128
    return (change.entryID, bytes)
  }
}

/// The result of a turn.
package struct TurnSummary: Sendable, Equatable {
  package var turn: Int64
  package var exit: TurnExit
  package var holder: String
  package var answer: String?
  package var usage: RequestUsage
  package var seconds: Double

  /// Whether there is an answer: a bound may leave nothing but whitespace of it.
  package var hasAnswer: Bool { answer?.contains { !$0.isWhitespace } ?? false }

  package init(
    turn: Int64,
    exit: TurnExit,
    holder: String,
    answer: String?,
    usage: RequestUsage,
    seconds: Double
  ) {
    self.turn = turn
    self.exit = exit
    self.holder = holder
    self.answer = answer
    self.usage = usage
    self.seconds = seconds
  }
}
