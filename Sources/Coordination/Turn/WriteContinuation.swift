import Journal
import Transcripts
import Wire

/// How a turn goes on once its facts are on disk.
enum WriteContinuation: Sendable {
  case entries(PendingRequest, [RawEntry], RequestUsage?, then: RequestPurpose?)
  case early(PendingRequest, bytes: Int)
  case state(PendingRequest, StateChange, bytes: Int)
  case abandoned(PendingRequest, RequestPurpose)
  case pass(PassRequest)
  case question(PendingRequest)
  case formQuestion(FormCall)
  case requestQuestion(MCPCall)
  case serverReply(PendingRequest, MCPAnswer)
  case decision(question: Int64)
  case approvalDelivery(callID: String)
  case clientQuestion(PendingRequest)
  case clientAnswer([String])
  case friend(FriendEnd, run: RunID)
  case death(RunID, agent: String, Death, keepsEntries: Bool)
  case end(TurnEnd)
}

extension WriteContinuation {
  /// The worker that waits for it.
  var run: RunID? {
    switch self {
    case .entries(let pending, _, _, _), .early(let pending, _), .state(let pending, _, _),
      .abandoned(let pending, _), .question(let pending), .serverReply(let pending, _),
      .clientQuestion(let pending):
      pending.run
    case .formQuestion(let form): form.call.pending.run
    case .requestQuestion(let call): call.pending.run
    case .pass(let pass): pass.pending.run
    case .death(let run, _, _, _), .friend(_, let run): run
    case .decision, .approvalDelivery, .clientAnswer, .end: nil
    }
  }
}
