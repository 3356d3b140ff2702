package import Transcripts

/// What a worker says to the coordinator.
package enum FromWorker: WireMessage, Equatable {
  /// The first message: who speaks.
  case greeting(Greeting)
  /// The plugin and the model are loaded.
  case ready(Readiness)
  /// An answer that nobody waits for was rehearsed, as far as possible.
  case rehearsed
  /// The worker cannot be what it was asked to be, and ends.
  case unable(Inability)
  /// Asks whether the model may be asked.
  case admission(turn: Int, round: Int, mode: GenerationOptions.ToolCallingMode.Kind)
  /// The model is being asked, as admitted before.
  case takesAdmission(turn: Int)
  /// Asks whether the model may be asked for a summary of what it will no longer see; this is no
  /// round, and the turn can do without it.
  case admissionOfSummary(turn: Int)
  /// A finished entry, to be journaled before its effect.
  case entry(turn: Int, Transcript.Entry, figures: RequestFigures?)
  /// A finished entry without an effect of its own; it is not answered, and any later answer
  /// implies that it was journaled.
  case unawaitedEntry(turn: Int, Transcript.Entry, figures: RequestFigures?)
  /// What a call returned while earlier calls still run; it comes again as an entry.
  case earlyOutput(turn: Int, Transcript.Entry)
  /// Asks whether the entries that were not answered are in the journal.
  case settle(turn: Int)
  /// What the agent wrote to its session's shared state, to be journaled before its effect.
  case state(turn: Int, StateChange)
  /// An entry that is being generated.
  case text(turn: Int, TextChange)
  /// A request waits for a server that refuses it for a while.
  case serverWait(turn: Int, ServerWait)
  /// Asks whether a call that needs a person's approval may be made; its entry is already recorded.
  case approval(turn: Int, callID: String)
  /// Asks to pass the baton and who then holds it.
  case passBaton(turn: Int, callID: String, to: String)
  /// Whether the history that was asked about fits.
  case fitted(turn: Int, ContextFit)
  /// Asks another agent.
  case phone(turn: Int, callID: String, agent: String, prompt: String)
  /// Asks for cores, with a number of the worker's own for this request.
  case wantsCores(Int)
  /// The worker now computes on no more cores than the grant with this number allows.
  case adopted(grant: Int)
  /// The worker has finished computing, or no longer wants to.
  case returnsCores
  /// The worker has reached a bound and should get no further turn.
  case exhausted(Exhaustion)
  /// The turn has ended in this worker.
  case ended(turn: Int, TurnEnding)
  /// The requested fork is alive.
  case forked(RunID, pid: Int32)
  /// The answer to a ping.
  case pong(Int)
  /// The last message before a voluntary end.
  case farewell(Farewell)

  package var isControl: Bool {
    switch self {
    case .greeting, .rehearsed, .admission, .takesAdmission, .admissionOfSummary, .settle, .fitted,
      .wantsCores, .adopted, .returnsCores, .forked, .pong, .farewell:
      true
    case .ready, .unable, .entry, .unawaitedEntry, .earlyOutput, .state, .text, .serverWait,
      .approval, .passBaton, .phone, .exhausted, .ended:
      false
    }
  }
}

/// Who speaks.
package struct Greeting: Codable, Sendable, Equatable {
  package var version: Int
  package var pid: Int32
  /// Identifies the build, so that only plugins made for it are loaded.
  package var fingerprint: String

  package init(version: Int = WireLimits.version, pid: Int32, fingerprint: String) {
    self.version = version
    self.pid = pid
    self.fingerprint = fingerprint
  }

  /// The preamble and the greeting, as one write.
  ///
  /// Spelled by hand, because starting up the coders takes a tenth of the time that a worker needs
  /// to greet. A fingerprint consists of hexadecimal digits, which need no escaping.
  package var firstBytes: [UInt8] {
    let text =
      #"{"greeting":{"_0":{"fingerprint":"\#(fingerprint)","pid":\#(pid),"version":\#(version)}}}"#
    return WireLimits.preamble + Frame(kind: .control, payload: Array(text.utf8)).bytes
  }
}

/// What a worker has become.
package struct Readiness: Codable, Sendable, Equatable {
  /// `nil` when it has loaded none.
  package var model: ModelDescription?

  package init(model: ModelDescription?) {
    self.model = model
  }
}

/// A worker's model.
package struct ModelDescription: Codable, Sendable, Equatable {
  package var name: String
  /// `nil` when unknown, as for a model behind a server.
  package var contextSize: Int?

  package init(name: String, contextSize: Int? = nil) {
    self.name = name
    self.contextSize = contextSize
  }
}

/// Why a worker cannot be what it was asked to be.
package struct Inability: Codable, Sendable, Equatable, Error {
  package enum Kind: String, Codable, Sendable {
    case plugin, model, sandbox
  }

  package var kind: Kind
  package var problem: String

  package init(_ kind: Kind, _ problem: String) {
    self.kind = kind
    self.problem = problem
  }
}

/// What an agent has written to its session's shared state.
package struct StateChange: Codable, Sendable, Equatable {
  /// The session properties with new values, as JSON by name.
  package var properties: [String: String]
  /// The change to the history that the agents of the conversation share.
  package var history: HistoryEdit?
  /// How the context was made to fit, if that is why the history changed.
  package var context: ContextReport?
  /// The cost of summarizing what is left out, or of the agent's own sessions.
  package var figures: RequestFigures?

  package init(
    properties: [String: String],
    history: HistoryEdit? = nil,
    context: ContextReport? = nil,
    figures: RequestFigures? = nil
  ) {
    self.properties = properties
    self.history = history
    self.context = context
    self.figures = figures
  }

  /// Whether there is nothing to keep.
  package var isEmpty: Bool {
    properties.isEmpty && history == nil && context == nil && figures == nil
  }
}

/// How the text of an unfinished entry changed: some bytes stay, and these follow.
package struct TextChange: Codable, Sendable, Equatable {
  package var entryID: String
  package var isReasoning: Bool
  package var keptBytes: Int
  package var added: String

  package init(entryID: String, isReasoning: Bool, keptBytes: Int, added: String) {
    self.entryID = entryID
    self.isReasoning = isReasoning
    self.keptBytes = keptBytes
    self.added = added
  }
}

/// How a turn ended in the worker that ran it.
package enum TurnEnding: Codable, Sendable, Equatable {
  /// The model answered.
  case answered
  /// The model answered after its mode had changed from required.
  case modeChanged
  /// A tool ended the loop with an answer.
  case finalAnswer
  /// The baton was passed; the turn continues elsewhere.
  case passed
  /// A cap was reached; `keepsEntries` is the profile's policy.
  case cap(String, keepsEntries: Bool = false)
  /// It was cancelled.
  case cancelled
  /// The model refused; `keepsEntries` is the profile's policy.
  case refused(reason: String, keepsEntries: Bool)
  /// It failed; `keepsEntries` is the profile's policy.
  case failed(problem: String, keepsEntries: Bool)
}

/// A worker's voluntary end.
package struct Farewell: Codable, Sendable, Equatable {
  package enum Status: String, Codable, Sendable {
    /// It was told to end, or was no longer needed.
    case done
    /// It could not become what it was asked to be.
    case unable
  }

  package var run: RunID
  package var status: Status

  package init(run: RunID, status: Status) {
    self.run = run
    self.status = status
  }
}
