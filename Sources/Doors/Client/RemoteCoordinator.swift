package import Coordination
package import Coordinator
import Foundation
package import Journal
package import Wire

/// The service of a coordinator in another process, over its socket.
package struct RemoteCoordinator: CoordinatorService {
  /// The seconds for what is answered at once; the others are for what writes to disk or asks many
  /// processes.
  private static let shortPatience = 3

  let client: ServiceClient

  package init(socket: String) { client = ServiceClient(socket: socket) }

  // MARK: Reading

  package func status() async throws -> CoordinatorStatus {
    try await client.get(Routes.Path.status, patience: Self.shortPatience)
  }

  /// Returns the coordinator's status; `nil` when none listens.
  /// - Throws: `ConnectionError.silent` when one listens but does not answer; `.unreadable` when
  ///   this version does not understand the answer.
  package func statusIfServed() async throws -> CoordinatorStatus? {
    guard FileManager.default.fileExists(atPath: client.socket) else { return nil }
    do {
      return try await status()
    } catch let error as ConnectionError where error != .gone {
      throw error
    } catch {
      // The socket of a coordinator that was killed.
      return nil
    }
  }

  package func processes() async throws -> ProcessTree {
    try await client.get(Routes.Path.processes)
  }

  package func agents() async throws -> [AgentSummary] {
    try await client.get(Routes.Path.agents, patience: Self.shortPatience)
  }

  package func hosts() async throws -> [HostReport] {
    try await client.get(Routes.Path.hosts)
  }

  package func sessions() async throws -> [SessionSummary] {
    try await client.get(Routes.Path.sessions)
  }

  package func runs() async throws -> [RunSummary] { try await client.get(Routes.Path.runs) }

  package func approvals() async throws -> [ApprovalRecord] {
    try await client.get(Routes.Path.approvals)
  }

  package func transcript(of session: String?) async throws -> TranscriptTree {
    try await client.get(Routes.Path.transcript, ["session": session])
  }

  package func facts(of session: String, after place: Int64) async throws -> [FactRow] {
    try await client.get(Routes.Path.facts, ["session": session, "after": "\(place)"])
  }

  package func latestTurn(of session: String) async throws -> Int64? {
    try await client.get(Routes.Path.latestTurn, ["session": session])
  }

  package func turn(_ turn: Int64) async throws -> TurnReport {
    try await client.get(Routes.Path.turn, ["turn": "\(turn)"])
  }

  package func log(of process: String, following: Bool) async throws -> EventStream<LogPart> {
    try await client.stream(
      Routes.Path.log,
      ["process": process, "follow": following ? "true" : nil]
    )
  }

  package func renderedPrompt(of run: String) async throws -> RenderedPrompt? {
    try await client.get(Routes.Path.renderedPrompt, ["process": run])
  }

  package func events(
    of session: String?,
    since position: Int64?,
    includesEntries: Bool
  ) async throws -> EventStream<SessionEvent> {
    try await client.stream(
      Routes.Path.events,
      [
        "session": session, "since": position.map(String.init),
        "entries": includesEntries ? nil : "false",
      ]
    )
  }

  package func metrics() async throws -> String { try await client.text(Routes.Path.metrics) }

  // MARK: Acting

  package func prompt(_ request: PromptRequest) async throws -> EventStream<TurnEvent> {
    try await client.stream(Routes.Path.prompts, posting: request)
  }

  package func submit(_ outputs: ClientToolOutputs) async throws -> EventStream<TurnEvent> {
    try await client.stream(Routes.Path.outputs, posting: outputs)
  }

  package func resume(_ request: SessionRequest) async throws -> EventStream<TurnEvent> {
    try await client.stream(Routes.Path.resumption, posting: request)
  }

  package func cancel(session: String) async throws {
    try await client.send(Routes.Path.cancellation, SessionRequest(session: session))
  }

  package func open(_ request: SessionRequest) async throws -> SessionStatus {
    try await client.post(Routes.Path.opening, request)
  }

  package func fork(_ request: ForkRequest) async throws -> SessionStatus {
    try await client.post(Routes.Path.forks, request)
  }

  package func delete(session: String) async throws {
    try await client.send(Routes.Path.deletion, SessionRequest(session: session))
  }

  @discardableResult
  package func answer(_ answer: ApprovalAnswer) async throws -> ApprovalRecord {
    try await client.post(Routes.Path.approvals, answer)
  }

  package func change(_ host: HostChange) async throws {
    try await client.send(Routes.Path.hosts, host)
  }

  package func stop() async throws { try await client.send(Routes.Path.stop, [String: String]()) }
}

extension RemoteCoordinator {
  /// Returns a ticket that lets the inspector page in once.
  package func pageTicket(isReadOnly: Bool) async throws -> PageTicket {
    try await client.post(Page.tickets, TicketRequest(isReadOnly: isReadOnly))
  }

  /// Makes a client of the coordinator that writes to these folders, wherever it listens.
  /// - Returns: `nil` when the folder of its socket does not exist.
  /// - Throws: `CoordinatorError.foreign` when another user could be listening.
  package init?(_ folders: Folders) throws(CoordinatorError) {
    let socket = folders.servedSocket
    let folder = (socket as NSString).deletingLastPathComponent
    guard try Folders.holdsSockets(folder) else { return nil }
    self.init(socket: socket)
  }

  /// Returns the coordinator that writes to these folders; `nil` when none answers.
  ///
  /// The folder of sockets belongs to the user, not to the home: another home's may answer there.
  package static func running(
    _ folders: Folders
  ) async throws -> (service: RemoteCoordinator, status: CoordinatorStatus)? {
    guard let service = try RemoteCoordinator(folders),
      let status = try await service.statusIfServed(),
      status.state.map({ $0 == folders.resolvedState }) ?? true
    else { return nil }
    return (service, status)
  }
}
