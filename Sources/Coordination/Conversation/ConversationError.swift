import Transcripts

/// Why a prompt was not accepted, or a worker's request was not carried out.
package enum ConversationError: Error, Sendable, Equatable {
  case tooManyWaiting(Int)
  case noAgents
  case noSuchAgent(String)
  /// The holder of the baton has a source, which makes no agent now.
  case unusableAgent(String, problem: String)
  /// The coordinator is shutting down.
  case closed
  /// A function of the client has the name of a tool of the agent that answers.
  case toolNameConflict(tool: String, agent: String)
  /// The session was deleted while the prompt was on its way.
  case deleted(String)
  /// A history was given for a session that has come to something else.
  case alreadyBegun(String)
  /// An entry that no conversation can begin with.
  case badHistory(String)
  case badImage(String, flaw: String)
  case imagesTooLarge(bytes: Int, limit: Int)
  /// The prompt has more text than any window holds.
  case promptTooLarge(bytes: Int, limit: Int)
  /// The entry is too large for a message to another worker.
  case entryTooLarge(agent: String, bytes: Int, limit: Int)
  /// Messages about finished turns kept arriving, which violates the protocol.
  case strayEntries(agent: String)
  /// A friend was phoned, or the baton passed, for a call that is not open or not admitted.
  ///
  /// That violates the protocol.
  case strayCall(String, agent: String)
  /// An output was sent for a call that is not open, which violates the protocol.
  case strayOutput(String, agent: String)
  /// A call was left without an output, which violates the protocol.
  case missingOutput(String, agent: String)
  /// The session properties grew beyond what the workers of a conversation are sent.
  case propertiesTooLarge(agent: String, bytes: Int, limit: Int)
}

extension ConversationError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooManyWaiting(let count):
      "\(count) prompts are already waiting for this session. Try again when one has been"
        + " answered."
    case .noAgents: "There is no agent that can start a session."
    case .noSuchAgent(let name):
      "There is no agent named '\(name)' that can start a session. List the agents with"
        + " 'orchestrator agents'."
    case .unusableAgent(let name, let problem):
      "The agent '\(name)', which holds the baton of this session, cannot be used now:"
        + " \(problem.withFullStop) Mend its source, or remove it to let another agent go on."
        + " 'orchestrator agents check' says more."
    case .toolNameConflict(let tool, let agent):
      "The function '\(tool)' that was sent has the name of a tool of '\(agent)'. Rename it."
    case .deleted(let session): "The session '\(session)' has been deleted."
    case .alreadyBegun(let session):
      "The session '\(session)' exists and has come to something else than the history that was sent."
        + " Send the prompt alone, or name a new session."
    case .badHistory(let flaw): "A session cannot begin with the history that was sent: \(flaw)."
    case .badImage(let image, let flaw): "The attachment \(image) cannot be used: \(flaw)."
    case .imagesTooLarge(let bytes, let limit):
      "With this prompt, the images of the conversation would total \(bytes) bytes; the limit is"
        + " \(limit). Use a smaller image, or start another session."
    case .promptTooLarge(let bytes, let limit):
      "The prompt has \(bytes) bytes; the limit is \(limit). Shorten it, or give the agent a tool"
        + " that reads the rest."
    case .entryTooLarge(let agent, let bytes, let limit):
      "'\(agent)' wrote an entry of \(bytes) bytes; the limit is \(limit). Let its tools return"
        + " less."
    case .strayEntries(let agent):
      "The worker of '\(agent)' kept writing entries after its turn had ended."
    case .strayCall(let call, let agent):
      "The worker of '\(agent)' asked for something for the call '\(call)', which is not open."
    case .strayOutput(let call, let agent):
      "The worker of '\(agent)' sent an output for the call '\(call)', which is not open."
    case .missingOutput(let call, let agent):
      "The worker of '\(agent)' left the call '\(call)' without an output."
    case .propertiesTooLarge(let agent, let bytes, let limit):
      "With what '\(agent)' wrote, the session properties would total \(bytes) bytes; the limit is"
        + " \(limit). Write shorter values, or start another session."
    case .closed: "The session is closed, because the coordinator is stopping."
    }
  }
}
