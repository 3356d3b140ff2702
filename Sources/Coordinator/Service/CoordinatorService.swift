package import Coordination
package import Journal
package import Wire

/// What a coordinator offers, to commands and doors alike.
///
/// Every function throws a ``ServiceError``, or an error that one can be made of.
package protocol CoordinatorService: Sendable {
  func status() async throws -> CoordinatorStatus
  /// Everything that is running.
  func processes() async throws -> ProcessTree
  /// The agents that can be asked, by name.
  ///
  /// Answers at once, with what the last search for agents found.
  func agents() async throws -> [AgentSummary]

  /// The other machines on which workers may run.
  func hosts() async throws -> [HostReport]
  /// Has a host, or all of a group, start, drain or stop.
  func change(_ host: HostChange) async throws

  /// Sends a prompt, and returns the events of its turn.
  ///
  /// Returns when the turn has begun, or while the prompt waits for others. When the stream is no
  /// longer read, the turn is cancelled. A request whose `id` is known joins its turn.
  func prompt(_ request: PromptRequest) async throws -> EventStream<TurnEvent>
  /// Goes on with a turn that waits for its client to perform calls, and returns its events.
  ///
  /// The events of a turn that comes to wait end with `clientCalls`, and the turn waits on, across
  /// restarts of the coordinator too, unless its session is temporary. Where calls still wait, so
  /// does the turn. Otherwise this is like a prompt: when the stream is no longer read, the turn is
  /// cancelled, and a request whose `id` is known is joined.
  func submit(_ outputs: ClientToolOutputs) async throws -> EventStream<TurnEvent>
  /// Finishes the turn during which an earlier coordinator ended, and returns its events.
  func resume(_ request: SessionRequest) async throws -> EventStream<TurnEvent>
  /// Cancels the current turn of a session.
  func cancel(session: String) async throws

  /// Opens a session, and begins it if there is none.
  func open(_ request: SessionRequest) async throws -> SessionStatus
  /// All sessions, most recently used first.
  func sessions() async throws -> [SessionSummary]
  /// Begins a session with what another has come to.
  func fork(_ request: ForkRequest) async throws -> SessionStatus
  /// Deletes a session for good, with its friends and the logs of its workers.
  ///
  /// A session in which a turn goes on is refused.
  func delete(session: String) async throws
  /// The transcript of a session; `nil` for the one that was used last.
  func transcript(of session: String?) async throws -> TranscriptTree
  /// What happened in a session and with its friends, as the journal has it, in order.
  /// - Parameter place: The place in the log after which to begin; 0 for the beginning.
  /// - Returns: The next facts, at most as many as one answer may hold; none when there are no more.
  func facts(of session: String, after place: Int64) async throws -> [FactRow]
  /// The last turn of a session that counts, or is under way; `nil` if there is none.
  func latestTurn(of session: String) async throws -> Int64?
  /// A turn of any session, by its number.
  func turn(_ turn: Int64) async throws -> TurnReport

  /// All runs of workers, the latest last.
  func runs() async throws -> [RunSummary]
  /// The log of a process, by its pid, agent or run; `coordinator` names the coordinator's own.
  func log(of process: String, following: Bool) async throws -> EventStream<LogPart>

  /// The prompt of the latest request of a worker, as its model was given it; `nil` where the worker
  /// has ended, or has asked no local model.
  func renderedPrompt(of run: String) async throws -> RenderedPrompt?

  /// The calls that wait for a person.
  func approvals() async throws -> [ApprovalRecord]
  func answer(_ answer: ApprovalAnswer) async throws -> ApprovalRecord

  /// The events of all sessions, or of one.
  /// - Parameters:
  ///   - position: The position after which to begin, as far back as the coordinator has events;
  ///     `nil` for now.
  ///   - includesEntries: Whether what models say and call, and what tools return, is among them,
  ///     which facts tell, too.
  func events(
    of session: String?,
    since position: Int64?,
    includesEntries: Bool
  ) async throws -> EventStream<SessionEvent>

  /// Everything that can be measured, in Prometheus's text format.
  func metrics() async throws -> String

  /// Asks the coordinator to end.
  func stop() async throws
}

/// A session that is to be opened or resumed.
package struct SessionRequest: Codable, Sendable, Equatable {
  /// Identifies the request in the events of its turn.
  package var id: String?
  package var session: String
  /// The agent that begins the session if it is new; if omitted, the coordinator's choice.
  package var agent: String?
  /// Whether a person can be asked before calls are made.
  package var isAttended: Bool?

  package init(
    id: String? = nil,
    session: String,
    agent: String? = nil,
    isAttended: Bool? = nil
  ) {
    self.id = id
    self.session = session
    self.agent = agent
    self.isAttended = isAttended
  }
}

/// A session that is to begin with what another has come to.
package struct ForkRequest: Codable, Sendable, Equatable {
  package var session: String
  /// The name of the new session.
  package var name: String
  /// The last turn that the new session begins with; `nil` for all turns.
  package var turn: Int64?
  /// The program that asks.
  package var origin: String?
  /// Whether the new session is deleted when its next turn ends.
  package var isTemporary: Bool?

  package init(
    session: String,
    name: String,
    turn: Int64? = nil,
    origin: String? = nil,
    isTemporary: Bool? = nil
  ) {
    self.session = session
    self.name = name
    self.turn = turn
    self.origin = origin
    self.isTemporary = isTemporary
  }
}

/// A session that was opened.
package struct SessionStatus: Codable, Sendable, Equatable {
  package var session: String
  /// The agent that holds the baton.
  package var holder: String
  /// Whether there is a turn during which an earlier coordinator ended.
  package var isInterrupted: Bool
  /// Whether that turn goes on with the next prompt only, because it was imported.
  package var waitsForPrompt: Bool
  /// What a person should know before the first prompt.
  package var notes: [String]
}

extension CoordinatorService {
  /// All events of all sessions, or of one.
  package func events(
    of session: String?,
    since position: Int64?
  ) async throws -> EventStream<SessionEvent> {
    try await events(of: session, since: position, includesEntries: true)
  }
}

/// An event of a session, as everyone who watches gets it.
package struct SessionEvent: Codable, Sendable, Equatable {
  /// Its place among all events since the coordinator started.
  package var position: Int64
  package var session: String
  /// The request whose turn this is; `nil` for a turn that was resumed.
  package var request: String?
  package var event: TurnEvent
}

package enum LogPart: Codable, Sendable, Equatable {
  /// The process, and what a person should know about its log; always first.
  case run(RunSummary, note: String?)
  case text(String)
}

/// A stream of events, of which the reader tells the writer what it has read.
package struct EventStream<Element: Sendable>: AsyncSequence, Sendable {
  package typealias Failure = any Error

  private let elements: AsyncThrowingStream<Element, any Error>
  private let onRead: @Sendable (Element) -> Void

  package init(
    _ elements: AsyncThrowingStream<Element, any Error>,
    onRead: @escaping @Sendable (Element) -> Void = { _ in }
  ) {
    self.elements = elements
    self.onRead = onRead
  }

  /// Makes a stream of elements that are known, which ends with an error if there is one.
  package init(of elements: [Element], failure: (any Error)? = nil) {
    let (stream, continuation) = AsyncThrowingStream<Element, any Error>.makeStream()
    for element in elements { continuation.yield(element) }
    continuation.finish(throwing: failure)
    self.init(stream)
  }

  package func makeAsyncIterator() -> Iterator {
    Iterator(elements: elements.makeAsyncIterator(), onRead: onRead)
  }

  package struct Iterator: AsyncIteratorProtocol {
    var elements: AsyncThrowingStream<Element, any Error>.Iterator
    let onRead: @Sendable (Element) -> Void

    package mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Element? {
      let element = try await elements.next(isolation: actor)
      if let element { onRead(element) }
      return element
    }

    package mutating func next() async throws -> Element? {
      try await next(isolation: #isolation)
    }
  }
}
