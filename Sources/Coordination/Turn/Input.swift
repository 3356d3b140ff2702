import Journal
import Transcripts
import Wire

/// What reaches a turn.
enum Input: Sendable {
  /// The turn is new here: it goes to its agent.
  case begin
  /// A worker said something.
  case message(FromWorker, RunID)
  /// A worker ended.
  case died(RunID, Death)
  /// An agent that needs a worker was looked up; `nil` if there is none of that name.
  case agentFound(LaunchableAgent?, name: String, WorkerPurpose)
  case launched(LaunchedWorker, WorkerPurpose)
  case launchFailed(agent: String, WorkerPurpose, problem: String)
  /// Facts are on disk.
  case written([Fact], WriteContinuation)
  /// Facts could not be written.
  case writeFailed(any Error, WriteContinuation)
  /// A friend has its conversation, with its prompt on disk.
  case friendBegun(FriendRequest, BegunFriend)
  /// A friend could not be begun.
  case friendFailed(FriendRequest, any Error)
  /// A friend is gone.
  case friendEnded(FriendEnd, run: RunID)
  /// A person, or the coordinator in its place, has decided.
  case decided(question: Int64, ApprovalDecision)
  /// The client has performed calls; these outputs are new.
  case clientAnswered([ClientToolOutput], request: String?)
  /// The client, for which the turn waits, has sent another prompt.
  case superseded
  /// It is known whether a person must approve a request to an MCP server.
  case approvalChecked(MCPCall, needsApproval: Bool)
  /// The server of a call tells how far the call has come.
  case serverProgressed(MCPCall, ToolProgress)
  /// The server of a call wants to know something of a person.
  case serverAsked(FormCall, ApprovalForm)
  /// An MCP server has answered, or cannot.
  case serverAnswered(MCPCall, MCPReply)
  case timer(TurnTimer)
  /// A worker could not be sent what it waits for.
  case unsendable(RunID, any Error)
  /// The turn is to end. One that an earlier coordinator began may be left to the next.
  case stop(TurnExit, leavesOpen: Bool = false)

  /// The facts of the turn that are on disk with it.
  var facts: [Fact] {
    switch self {
    case .written(let facts, _): facts
    case .friendBegun(_, let friend): [friend.phoned]
    default: []
    }
  }
}
