package import Transcripts

/// What a worker asks of the coordinator during a turn.
package enum WorkerRequest: Codable, Sendable, Equatable {
  /// Asks whether and how a request to a model may be made.
  case admission(RequestPurpose)
  /// Has the finished entries of one generation, or one output, journaled before their effects.
  ///
  /// The usage is that of the request, or of a tool's own sessions, and belongs to the last entry.
  /// With a purpose, it also asks for the admission of the request to a model that follows.
  case record([RawEntry], RequestUsage?, then: RequestPurpose? = nil)
  /// Has the output of a call journaled while earlier calls still run; it comes again as an entry.
  case recordEarly(RawEntry)
  /// Has what the agent wrote to its session's shared state journaled before its effects.
  case recordState(StateChange)
  /// Has the coordinator perform a tool for a call that is journaled.
  case hostTool(callID: String, HostTool)
}

/// What a request to a model is for.
package enum RequestPurpose: String, Codable, Sendable {
  /// A round of the turn.
  case round
  /// A summary of what the model will no longer see, which the turn can do without.
  case summary
}

/// A tool that the coordinator performs for a worker.
package enum HostTool: Codable, Sendable, Equatable {
  /// Asks a person whether the call may be made.
  case approval
  case passBaton(to: String)
  /// Asks a friend.
  case phone(agent: String, prompt: String)
  /// Has the client of the turn perform the call and these others of its round.
  case client(also: [String])
  /// Asks an MCP server, with the size of the window, in tokens, that the answer must fit into.
  case mcp(MCPRequest, window: Int?)
}

/// The coordinator's answer to a request.
package enum WorkerReply: Codable, Sendable, Equatable {
  case admission(AdmissionAnswer)
  /// The entries, or the state, are on disk; with the admission that was asked for.
  ///
  /// It is missing where that must be asked for by itself.
  case recorded(AdmittedCalls, AdmissionAnswer? = nil)
  case approval(Approval)
  case baton(BatonAnswer)
  case friend(FriendAnswer)
  case mcp(MCPAnswer)
  case client(ClientAnswer)
}

/// What the client of a turn answered to all calls of a round that it was to perform.
package struct ClientAnswer: Codable, Sendable, Equatable {
  package var outputs: [ClientToolOutput]
  /// The seconds until the cap ends the turn, which stood still meanwhile; `nil` if there is none.
  package var secondsLeft: Int?

  package init(outputs: [ClientToolOutput], secondsLeft: Int? = nil) {
    self.outputs = outputs
    self.secondsLeft = secondsLeft
  }
}
