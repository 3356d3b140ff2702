/// Why a prompt was not accepted.
package enum ConversationError: Error, Sendable, Equatable {
  case tooManyWaiting(Int)
  case noAgents
  /// The coordinator is leaving.
  case closed
}

extension ConversationError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooManyWaiting(let count):
      "\(count) prompts wait for this conversation already. Try again when one has been answered."
    case .noAgents: "There is no agent that could begin a conversation."
    case .closed: "The conversation is closed, because the coordinator is leaving."
    }
  }
}
