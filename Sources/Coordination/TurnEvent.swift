package import AgentKit
package import Journal
package import Wire

/// What whoever watches a turn is shown.
package enum TurnEvent: Sendable, Equatable {
  /// The prompt is on disk.
  case accepted(turn: Int64, conversation: String)
  /// A turn goes on in which an earlier coordinator ended.
  case resumed(turn: Int64, conversation: String, prompt: String)
  /// A worker is gone in the middle of the turn, and another goes on from the last entry: what was
  /// shown of an unfinished one does not count.
  case workerReplaced(agent: String, death: String)
  /// An answer, or the thinking before it, as far as it has come.
  case text(agent: String, TextChange)
  /// A model calls a tool.
  case toolCall(agent: String, tool: String, arguments: String)
  /// A tool has returned.
  case toolOutput(agent: String, tool: String, text: String)
  /// A call waits for a person to approve it; that it does is on disk.
  case approvalAsked(ApprovalRecord)
  /// A call was approved or denied.
  case approvalAnswered(ApprovalRecord)
  /// An agent's context was made to fit into its window.
  case context(agent: String, ContextReport)
  /// The baton goes to another agent.
  case batonPassed(from: String, to: String)
  /// A friend is being asked, in a process of its own.
  case friendPhoned(agent: String, pid: Int32, run: String)
  /// A friend is gone.
  case friendGone(agent: String, pid: Int32, run: String, tokens: Int, seconds: Double)
  /// An agent waits for a core, at this place of the queue: others compute on all of them.
  case coreAwaited(agent: String, place: Int, cores: Int)
  /// An agent's worker cannot be started yet for want of memory.
  case memoryAwaited(agent: String, LaunchWait)
  /// An agent has said something beside calls, which is no answer.
  case said(agent: String, text: String)
  /// An agent has answered.
  case answered(agent: String, text: String)
  /// Something went wrong that does not end the turn.
  case trouble(String)
  /// The turn is over.
  case ended(TurnSummary)
}

extension TurnEvent {
  /// Of which entry it tells how it comes about, and about how many bytes it takes; `nil` for what is
  /// told once, when it is so.
  package var unfinishedText: (entry: String, bytes: Int)? {
    guard case .text(let agent, let change) = self else { return nil }
    // What stands around the text counts too, because there may be no text in it.
    let bytes = change.added.utf8.count + change.entryID.utf8.count + agent.utf8.count + 128
    return (change.entryID, bytes)
  }
}

/// What a turn came to.
package struct TurnSummary: Sendable, Equatable {
  package var turn: Int64
  package var exit: TurnExit
  package var holder: String
  package var answer: String?
  package var figures: RequestFigures
  package var seconds: Double

  /// Whether anything was answered: a bound may leave nothing but blanks of an answer.
  package var hasAnswer: Bool { answer?.contains { !$0.isWhitespace } ?? false }

  package init(
    turn: Int64,
    exit: TurnExit,
    holder: String,
    answer: String?,
    figures: RequestFigures,
    seconds: Double
  ) {
    self.turn = turn
    self.exit = exit
    self.holder = holder
    self.answer = answer
    self.figures = figures
    self.seconds = seconds
  }
}
