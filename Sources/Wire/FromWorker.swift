package import AgentKit

/// What a worker says to the coordinator.
package enum FromWorker: WireMessage, Equatable {
  /// The first message: who speaks.
  case greeting(Greeting)
  /// The plugin and the model are loaded.
  case ready(Readiness)
  /// An answer that nobody waits for was rehearsed, as far as it could be.
  case rehearsed
  /// The worker cannot be what it was asked to be, and ends.
  case unable(Inability)
  /// May I ask the model?
  case admission(turn: Int, round: Int, mode: GenerationOptions.ToolCallingMode.Kind)
  /// I ask the model, as I was told before that I may.
  case takesAdmission(turn: Int)
  /// May I ask the model for a summary of what it will not see any more? It is no round, and the
  /// turn can do without.
  case admissionOfSummary(turn: Int)
  /// A finished entry, to be journaled before its effect.
  case entry(turn: Int, Transcript.Entry, figures: RequestFigures?)
  /// A finished entry from which nothing follows but what is said after it. It is not answered: what is
  /// answered later is done after it was journaled.
  case unawaitedEntry(turn: Int, Transcript.Entry, figures: RequestFigures?)
  /// What a call has returned while those before it still run; it comes again as an entry.
  case earlyOutput(turn: Int, Transcript.Entry)
  /// Are the entries in the journal that were not answered?
  case settle(turn: Int)
  /// What the agent has written to what its session shares, to be journaled before its effect.
  case state(turn: Int, StateChange)
  /// An entry that is being generated.
  case text(turn: Int, TextChange)
  /// May a call be made that needs a person's approval? It is in an entry that is recorded.
  case approval(turn: Int, callID: String)
  /// Who holds the baton from now on?
  case passBaton(turn: Int, callID: String, to: String)
  /// Whether the history that was asked about fits.
  case fitted(turn: Int, ContextFit)
  /// Ask another agent.
  case phone(turn: Int, callID: String, agent: String, prompt: String)
  /// May I compute? The number is the worker's own for this question.
  case wantsCores(Int)
  /// I compute on no more cores than the grant with this number says.
  case adopted(grant: Int)
  /// I have computed, or do not want to any more.
  case returnsCores
  /// The turn has ended in this worker.
  case ended(turn: Int, TurnEnding)
  /// The fork that was asked for lives.
  case forked(RunID, pid: Int32)
  /// I am here.
  case pong(Int)
  /// The last message before a voluntary end.
  case farewell(Farewell)

  package var isControl: Bool {
    switch self {
    case .greeting, .rehearsed, .admission, .takesAdmission, .admissionOfSummary, .settle, .fitted,
      .wantsCores, .adopted, .returnsCores, .forked, .pong, .farewell:
      true
    case .ready, .unable, .entry, .unawaitedEntry, .earlyOutput, .state, .text, .approval,
      .passBaton, .phone,
      .ended:
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
  /// Spelled out, and not encoded: to wake up the coders takes a tenth of the time that a worker
  /// needs to greet. A fingerprint is made of hexadecimal digits, which need no escaping.
  package var firstBytes: [UInt8] {
    let text =
      #"{"greeting":{"_0":{"fingerprint":"\#(fingerprint)","pid":\#(pid),"version":\#(version)}}}"#
    return WireLimits.preamble + Frame(kind: .control, payload: Array(text.utf8)).bytes
  }
}

/// What a worker has become.
package struct Readiness: Codable, Sendable, Equatable {
  /// `nil` where it has loaded none.
  package var model: ModelDescription?

  package init(model: ModelDescription?) {
    self.model = model
  }
}

/// What a worker's model is.
package struct ModelDescription: Codable, Sendable, Equatable {
  package var name: String
  /// `nil` when it is not known, as of a model behind a server.
  package var contextSize: Int?

  package init(name: String, contextSize: Int? = nil) {
    self.name = name
    self.contextSize = contextSize
  }
}

/// Why a worker cannot be what it was asked to be.
package struct Inability: Codable, Sendable, Equatable, Error {
  package enum Kind: String, Codable, Sendable {
    case version, plugin, model, sandbox
  }

  package var kind: Kind
  package var problem: String

  package init(_ kind: Kind, _ problem: String) {
    self.kind = kind
    self.problem = problem
  }
}

/// What an agent has written to what its session shares.
package struct StateChange: Codable, Sendable, Equatable {
  /// The session properties with new values, as JSON by name.
  package var properties: [String: String]
  /// What became of the history that the agents of the conversation share.
  package var history: HistoryEdit?
  /// How the context was made to fit, when that is why the history has changed.
  package var context: ContextReport?
  /// What it took to summarize what is left out, or what sessions of the agent's own have used.
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

/// What one request to a model took.
package struct RequestFigures: Codable, Sendable, Equatable {
  package var tokensIn: Int
  package var tokensCached: Int
  package var tokensOut: Int
  package var secondsToFirstToken: Double
  package var seconds: Double
  /// The window of the model that was asked; `nil` when it is not known.
  package var contextSize: Int?
  /// Why less was cached than there was; `nil` where nothing was lost.
  package var cacheBreak: CacheBreak?

  package init(
    tokensIn: Int = 0,
    tokensCached: Int = 0,
    tokensOut: Int = 0,
    secondsToFirstToken: Double = 0,
    seconds: Double = 0,
    cacheBreak: CacheBreak? = nil,
    contextSize: Int? = nil
  ) {
    self.tokensIn = tokensIn
    self.tokensCached = tokensCached
    self.tokensOut = tokensOut
    self.secondsToFirstToken = secondsToFirstToken
    self.seconds = seconds
    self.cacheBreak = cacheBreak
    self.contextSize = contextSize
  }

  package static func += (left: inout RequestFigures, right: RequestFigures) {
    left.tokensIn += right.tokensIn
    left.tokensCached += right.tokensCached
    left.tokensOut += right.tokensOut
    // The first token that a person waits for is the first request's.
    if left.secondsToFirstToken == 0 { left.secondsToFirstToken = right.secondsToFirstToken }
    left.seconds += right.seconds
    left.contextSize = right.contextSize ?? left.contextSize
    left.cacheBreak = left.cacheBreak ?? right.cacheBreak
  }
}

extension RequestFigures {
  /// Adds the tokens of others, whose times and caches are their own.
  package mutating func addTokens(of others: RequestFigures) {
    tokensIn += others.tokensIn
    tokensCached += others.tokensCached
    tokensOut += others.tokensOut
  }
}

extension RequestFigures: CustomStringConvertible {
  /// The figures, for a log.
  package var description: String {
    let computed = tokensIn - tokensCached
    let figures =
      "\(tokensIn) tokens in (\(tokensCached) cached, \(computed) computed), \(tokensOut) out;"
      + " first token after \(secondsToFirstToken.wholeMilliseconds) ms of"
      + " \(seconds.wholeMilliseconds) ms"
    return cacheBreak.map { "\(figures); \($0)" } ?? figures
  }
}

/// Where a prompt left what its worker had read, so that the rest was computed anew.
package struct CacheBreak: Codable, Sendable, Equatable {
  /// The place of the first token that differs.
  package var token: Int
  /// Tokens that were held after it.
  package var lost: Int
  package var cause: String
  /// The text around the place, as it was and as it is now.
  package var was: String
  package var now: String

  package init(token: Int, lost: Int, cause: String, was: String, now: String) {
    self.token = token
    self.lost = lost
    self.cause = cause
    self.was = was
    self.now = now
  }
}

extension CacheBreak: CustomStringConvertible {
  package var description: String {
    "the cache broke at token \(token) (\(lost) lost): \(cause):"
      + " was \(was.debugDescription), is \(now.debugDescription)"
  }
}

/// How the text of an unfinished entry changed: so many bytes stay, and these follow.
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
  /// The baton was passed; the turn goes on elsewhere.
  case passed
  /// A cap was reached.
  case cap(String)
  /// It was cancelled.
  case cancelled
  /// The model refused. `keepsEntries` is the profile's policy.
  case refused(reason: String, keepsEntries: Bool)
  /// It failed. `keepsEntries` is the profile's policy.
  case failed(problem: String, keepsEntries: Bool)
}

/// The end of a worker, by its own will.
package struct Farewell: Codable, Sendable, Equatable {
  package enum Status: String, Codable, Sendable {
    /// It was told to, or was not needed any more.
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
