package import Transcripts

package enum FromWorker: WireMessage, Equatable {
  /// The first message: who speaks.
  case greeting(Greeting)
  /// The plugin and the model are loaded.
  case ready(Readiness)
  /// The answer to a made-up question was rehearsed, as far as possible.
  case rehearsed
  /// The worker cannot be what it was asked to be, and ends.
  case unable(Inability)
  /// Asks the coordinator for something in a turn.
  ///
  /// A worker numbers its requests. Each is answered by one reply with its number, unless its turn
  /// is over or cancelled first.
  case request(id: Int, turn: Int, WorkerRequest)
  /// The admission that came with the reply to a record will not be used.
  case unusedAdmission(turn: Int)
  /// An entry that is being generated.
  case text(turn: Int, TextChange)
  /// A request waits for a server that refuses it for a while.
  case serverWait(turn: Int, ServerWait)
  /// Whether the history of the question with this number fits.
  case fit(id: Int, ContextFit)
  /// Asks for cores, with a number of the worker's own for this request.
  case wantsCores(Int)
  /// The worker now computes on no more cores than the grant with this number allows.
  case adopted(grant: Int)
  /// The worker has finished computing, or no longer wants to.
  case returnsCores
  /// The worker has reached a bound and should get no further turn.
  case exhausted(Exhaustion)
  case ended(turn: Int, TurnEnding)
  /// The requested fork is alive.
  case forked(RunID, pid: Int32)
  /// The answer to a ping.
  case pong(Int)
  /// How far this process has come with work that takes long; `nil` at its end.
  case progress(WorkProgress?)
  /// The prompt of the latest request; `nil` where there is none to show.
  case prompt(id: Int, RenderedPrompt?)
  /// The last message before a voluntary end.
  case farewell(Farewell)

  package var isControl: Bool {
    switch self {
    case .greeting, .rehearsed, .fit, .wantsCores, .adopted, .returnsCores, .forked, .pong,
      .progress, .farewell:
      true
    case .ready, .unable, .request, .unusedAdmission, .text, .serverWait, .exhausted, .prompt,
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

/// How a turn ended in the worker that ran it.
package enum TurnEnding: Codable, Sendable, Equatable {
  case answered
  /// The model answered after its mode had changed from required.
  case modeChanged
  /// A tool ended the loop with an answer.
  case finalAnswer
  /// The baton was passed; the turn continues elsewhere.
  case passed
  /// A cap was reached; `keepsEntries` is the profile's policy.
  case cap(String, keepsEntries: Bool = false)
  case cancelled
  /// The transcript does not fit into the model's window; `keepsEntries` is the profile's policy.
  case contextSizeExceeded(problem: String, keepsEntries: Bool)
  /// The model refused; `keepsEntries` is the profile's policy.
  case refused(reason: String, keepsEntries: Bool)
  /// It failed; `keepsEntries` is the profile's policy.
  case failed(problem: String, keepsEntries: Bool)
}

/// A worker's voluntary end.
package enum Farewell: String, Codable, Sendable {
  /// It was told to end, or was no longer needed.
  case done
  /// It could not become what it was asked to be.
  case unable
}
