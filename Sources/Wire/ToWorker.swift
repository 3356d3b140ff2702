package import Transcripts

package enum ToWorker: WireMessage, Equatable {
  /// The first message: what to be.
  case hello(WorkerConfiguration)
  /// Sent ahead of an order that would be too long for one message: how many known entries stand,
  /// and which follow.
  case history(kept: Int, added: [RawEntry])
  /// Session properties sent ahead for the same reason, new or with new values: JSON by name.
  case properties([String: String])
  /// Tells the worker to answer, or to continue answering.
  case turn(TurnOrder)
  /// Asks, under a number of the coordinator's own, whether an order would fit into the window;
  /// nothing of it is kept.
  case fit(id: Int, TurnOrder)
  /// Answers the request with this number.
  case reply(id: Int, WorkerReply)
  /// The worker may compute: the answer to its request, and later any change to it.
  case cores(CoreGrant)
  /// Asks for the cores of this request back, because another process waits for them.
  case yieldCores(Int)
  /// Tells the worker to stop answering, possibly because of a cap.
  case cancel(turn: Int, cap: String? = nil)
  /// Tells a template to fork itself; the child's input, output and log come along as descriptors.
  case fork(RunID)
  /// Asks whether the worker is there.
  case ping(Int)
  /// Asks, under a number of the coordinator's own, for the prompt of the latest request.
  case showPrompt(id: Int)
  /// Tells the worker to end when its current work is done.
  case shutdown

  package var isControl: Bool {
    switch self {
    case .cores, .yieldCores, .cancel, .fork, .ping, .showPrompt, .shutdown: true
    case .hello, .history, .properties, .turn, .fit, .reply: false
    }
  }
}

/// The number of cores on which a worker may compute.
package struct CoreGrant: Codable, Sendable, Equatable {
  /// The number of the worker's request.
  package var request: Int
  /// Numbers the answers to this request.
  package var number: Int
  /// The number of cores.
  package var count: Int

  package init(request: Int, number: Int, count: Int) {
    self.request = request
    self.number = number
    self.count = count
  }

  /// Returns whether this grant supersedes the last one received.
  ///
  /// Several threads of the coordinator send, so an older grant may arrive after a newer one.
  package func isLatest(after last: CoreGrant?) -> Bool {
    guard let last, last.request == request else { return true }
    return number >= last.number
  }
}

/// What a worker is to answer.
package struct TurnOrder: Codable, Sendable, Equatable {
  package var turn: Int
  /// How many of the entries that the worker knows still stand.
  package var kept: Int
  /// The entries that follow; empty when all were sent ahead.
  ///
  /// The last entry that the worker then knows is the one to answer.
  package var added: [RawEntry]
  /// What the sender of the prompt asks of the turn.
  package var options: TurnOptions?
  /// The session properties that are new to the worker or have new values, as JSON by name.
  package var properties: [String: String]
  /// The largest window of the conversation's other agents, in tokens; `nil` when none is known.
  package var widestWindow: Int?
  /// The progress of calls that another worker left without outputs, by their identifiers.
  package var openCalls: [String: CallProgress]
  /// The calls to finish before anything else, in order, where they are not those that have no
  /// outputs in the history: an agent may have rewritten it since they were made.
  package var unfinishedCalls: [Transcript.ToolCall]?
  /// Whether the agent has passed the baton in the open round; it then only closes the round.
  package var hasPassedBaton: Bool
  /// The seconds until the cap ends the turn; `nil` if there is none.
  package var secondsLeft: Int?

  package init(
    turn: Int,
    kept: Int,
    added: [RawEntry],
    options: TurnOptions? = nil,
    properties: [String: String] = [:],
    widestWindow: Int? = nil,
    openCalls: [String: CallProgress] = [:],
    unfinishedCalls: [Transcript.ToolCall]? = nil,
    hasPassedBaton: Bool = false,
    secondsLeft: Int? = nil
  ) {
    self.turn = turn
    self.kept = kept
    self.added = added
    self.options = options
    self.properties = properties
    self.widestWindow = widestWindow
    self.openCalls = openCalls
    self.unfinishedCalls = unfinishedCalls
    self.hasPassedBaton = hasPassedBaton
    self.secondsLeft = secondsLeft
  }
}

/// Whether and how a request may be made.
package enum AdmissionAnswer: Codable, Sendable, Equatable {
  case admitted(RoundAdmission)
  /// A cap is reached, and the turn ends.
  case refused(cap: String)
}
