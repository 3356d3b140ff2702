import Journal
import Transcripts
import Wire

/// What a turn wants done.
enum Effect: Sendable {
  /// Writes facts to the journal, on behalf of a worker or the coordinator; the turn goes on with
  /// `.written` or `.writeFailed`, and nothing else reaches it before. Effects that follow are done
  /// after those of that input.
  case write([Fact.Event], agent: String?, run: RunID?, WriteContinuation)
  /// Looks up an agent, as it is now.
  case findAgent(named: String, WorkerPurpose)
  case launch(LaunchableAgent, WorkerPurpose)
  case send(RunID, ToWorker)
  /// Sends an order, in several messages where it is long.
  case order(RunID, TurnOrder, OrderKind)
  /// Lets a worker end, or kills it.
  case retire(RunID)
  case kill(RunID, Death.Cause)
  case start(TurnTimer, after: Duration)
  /// Begins a friend's conversation, with a share of the budget.
  case beginFriend(FriendRequest, Budget)
  /// Runs a friend's turn.
  case runFriend(FriendRequest, BegunFriend)
  /// Lets go of a friend that is gone, whose usage the turn now counts as its own.
  case forgetFriend(conversation: Int64)
  /// Finds out whether a person must approve a request to an MCP server.
  case checkApproval(MCPCall)
  /// Asks an MCP server, with what the name of the call's span is made of.
  case askServer(MCPCall, isApproved: Bool, TracedCall?)
  /// Tells the server of a call what a person answered.
  case answerForm(FormCall, FormAnswer)
  /// Withdraws a question that its server no longer wants answered.
  case withdraw(question: Int64)
  /// Lets a person decide about a call.
  case ask(ApprovalRecord, patience: Duration)
  /// Stops the clock of the turn, which waits for its client.
  case pause
  /// Ends friends, launches, questions and requests to servers: the turn no longer wants them.
  case cancelPendingWork
  case show(TurnEvent)
  case finish(TurnEnd)
}

/// Why an agent needs a worker.
enum WorkerPurpose: Sendable, Equatable {
  /// To answer; the attempt tells whether it is still wanted.
  case answer(attempt: Int)
  /// To say whether it can take the baton.
  case fit
}

/// Why an agent cannot have a worker.
enum LaunchProblem: Sendable, CustomStringConvertible {
  case noAgent(String)
  case failed(String)

  var description: String {
    switch self {
    case .noAgent(let name): "There is no longer an agent named '\(name)'."
    case .failed(let problem): problem
    }
  }
}

enum OrderKind: Sendable, Equatable {
  case turn
  case fit(id: Int)

  func message(_ order: TurnOrder) -> ToWorker {
    switch self {
    case .turn: .turn(order)
    case .fit(let id): .fit(id: id, order)
    }
  }
}

enum TurnTimer: Sendable, Equatable {
  /// Another worker may be started in place of one that died.
  case restart
  /// A worker that was told to stop has had its time.
  case stop(RunID, seconds: Int)
  /// A worker that was asked whether it can take the baton has had its time.
  case fit(id: Int)
}
