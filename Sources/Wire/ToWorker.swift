package import AgentKit

/// What the coordinator says to a worker.
package enum ToWorker: WireMessage, Equatable {
  /// The first message: what to be.
  case hello(Hello)
  /// What would make an order too long for one message, ahead of it: of the history that you know so
  /// many entries stand, and these follow.
  case history(kept: Int, added: [Transcript.Entry])
  /// The same of session properties that you do not have, or not with these values: JSON by name.
  case properties([String: String])
  /// Answer, or go on answering.
  case turn(TurnOrder)
  /// Would this fit into your window? Nothing of it is kept.
  case fit(TurnOrder)
  /// How the request that was asked for may be made.
  case admitted(turn: Int, AdmissionAnswer)
  /// An entry is in the journal. Of the calls in it, so many may be made, without those whose places
  /// are named: they have returned the same too often. The next request may be made like this, if they
  /// use nothing that requests use.
  case recorded(
    turn: Int,
    entryID: String,
    admittedCalls: Int,
    repeatedCalls: [Int] = [],
    next: AdmissionAnswer? = nil
  )
  /// The entries that were not answered are in the journal.
  case settled(turn: Int)
  /// What the agent has written is in the journal.
  case stateKept(turn: Int)
  /// What came of asking a person.
  case approvalAnswered(turn: Int, callID: String, Approval)
  /// What came of passing the baton, and why it was not passed when it was not.
  case batonPassed(turn: Int, callID: String, holder: String, refusal: String?)
  /// What came of phoning a friend.
  case friendAnswered(turn: Int, callID: String, FriendAnswer)
  /// You may compute: the answer to a question, and later what has changed of it.
  case cores(CoreGrant)
  /// Give the cores back that were this question's: somebody waits for them.
  case yieldCores(Int)
  /// Stop answering; a cap may be why.
  case cancel(turn: Int, cap: String? = nil)
  /// Fork yourself. The descriptors of the child come along: its input, its output, its log.
  case fork(RunID)
  /// Are you there?
  case ping(Int)
  /// End when the work in hand is done.
  case shutdown

  package var isControl: Bool {
    switch self {
    case .admitted, .recorded, .settled, .stateKept, .cores, .yieldCores, .cancel, .fork, .ping,
      .shutdown:
      true
    case .hello, .history, .properties, .turn, .fit, .approvalAnswered, .batonPassed,
      .friendAnswered:
      false
    }
  }
}

/// On how many cores a worker may compute.
package struct CoreGrant: Codable, Sendable, Equatable {
  /// The number of the worker's question.
  package var request: Int
  /// Counts what has been said about this question.
  package var number: Int
  /// How many cores.
  package var count: Int

  package init(request: Int, number: Int, count: Int) {
    self.request = request
    self.number = number
    self.count = count
  }

  /// Whether it holds, and not the one that was heard before it: several threads of the coordinator
  /// speak, and an older word may come after a newer one.
  package func isLatest(after last: CoreGrant?) -> Bool {
    guard let last, last.request == request else { return true }
    return number >= last.number
  }
}

/// What a worker is to be.
package struct Hello: Codable, Sendable, Equatable {
  package enum Role: String, Codable, Sendable {
    /// Runs an agent.
    case worker
    /// Does the costly part once, and is forked.
    case template
  }

  package var version: Int
  package var run: RunID
  package var role: Role
  /// The compiled agent; `nil` for the template of a model, and for the program's.
  package var plugin: String?
  /// The GGUF file; `nil` for agents that bring models of their own, and for the program's template.
  package var model: String?
  /// What turns images into what the model reads; `nil` takes one that lies beside the model.
  package var projector: String?
  /// The context window in tokens; `nil` leaves it to the model.
  package var contextSize: Int?
  /// The folder for prefixes that were computed once; `nil` keeps none.
  package var snapshots: String?
  /// Whether it asks before it computes.
  package var sharesCores: Bool
  /// Whether nobody waits for it yet: it rehearses an answer, and says when it has.
  package var isAhead: Bool
  /// What the agent is; a template computes the prefix of it, and runs none of the agent's code.
  package var agent: AgentDescription?
  /// What it may reach; `nil` leaves it whatever its user may.
  package var confinement: Confinement?
  /// How many seconds the coordinator is silent at most, from its first ping on, while it is there;
  /// `nil` is for ever.
  package var silenceLimit: Double?
  /// Bytes of memory that there are for all processes of the coordinator, by which all of them
  /// decide alike how a model is loaded; `nil` leaves it to the machine.
  package var memory: Int?

  package init(
    version: Int = WireLimits.version,
    run: RunID,
    role: Role = .worker,
    plugin: String?,
    model: String?,
    projector: String? = nil,
    contextSize: Int?,
    snapshots: String? = nil,
    sharesCores: Bool = false,
    isAhead: Bool = false,
    agent: AgentDescription? = nil,
    confinement: Confinement? = nil,
    silenceLimit: Double? = nil,
    memory: Int? = nil
  ) {
    self.version = version
    self.run = run
    self.role = role
    self.plugin = plugin
    self.model = model
    self.projector = projector
    self.contextSize = contextSize
    self.snapshots = snapshots
    self.sharesCores = sharesCores
    self.isAhead = isAhead
    self.agent = agent
    self.confinement = confinement
    self.silenceLimit = silenceLimit
    self.memory = memory
  }
}

/// What a worker is to answer.
package struct TurnOrder: Codable, Sendable, Equatable {
  package var turn: Int
  /// How many entries of what the worker knows still stand.
  package var kept: Int
  /// The entries that follow; none where all of them came ahead.
  ///
  /// The last that the worker knows then is what to answer.
  package var added: [Transcript.Entry]
  /// The session properties that the worker does not have, or not with these values, as JSON by
  /// name.
  package var properties: [String: String]
  /// The largest window of the other agents of the conversation, in tokens; `nil` when none is known.
  package var widestWindow: Int?
  /// How far the calls had come that another worker has left without outputs, by their identities.
  package var openCalls: [String: CallProgress]
  /// Whether the agent has passed the baton in the round that is open: it closes the round, and no more.
  package var hasPassedBaton: Bool
  /// How the first request may be made, if nothing is used before it.
  package var admission: AdmissionAnswer?

  package init(
    turn: Int,
    kept: Int,
    added: [Transcript.Entry],
    properties: [String: String] = [:],
    widestWindow: Int? = nil,
    openCalls: [String: CallProgress] = [:],
    hasPassedBaton: Bool = false,
    admission: AdmissionAnswer? = nil
  ) {
    self.turn = turn
    self.kept = kept
    self.added = added
    self.properties = properties
    self.widestWindow = widestWindow
    self.openCalls = openCalls
    self.hasPassedBaton = hasPassedBaton
    self.admission = admission
  }
}

/// Whether and how a request may be made.
package enum AdmissionAnswer: Codable, Sendable, Equatable {
  case admitted(RoundAdmission)
  /// A cap is reached, and the turn ends.
  case refused(cap: String)
}
