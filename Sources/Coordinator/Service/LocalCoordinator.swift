package import Coordination
import Foundation
package import Journal
import Logging
import Supervision
import Transcripts
package import Wire

/// The service of a coordinator in this process.
package struct LocalCoordinator: RecordedService {
  let coordinator: Coordinator
  let records: JournalRecords
  private let started = Date()
  /// Whether a person can be asked, for prompts that do not say.
  let isAttended: Bool

  package init(_ coordinator: Coordinator, isAttended: Bool) {
    self.coordinator = coordinator
    self.isAttended = isAttended
    records = JournalRecords(folders: coordinator.settings.folders) {
      [journal = coordinator.journal] in JournalReader(journal)
    }
  }

  package func status() -> CoordinatorStatus {
    let settings = coordinator.settings
    return CoordinatorStatus(
      pid: getpid(),
      started: started,
      state: settings.folders.resolvedState,
      agents: settings.agents,
      model: settings.model,
      sandbox: settings.sandbox.rawValue,
      door: coordinator.address
    )
  }

  package func processes() async throws -> ProcessTree {
    // What runs can be shown although the deaths cannot be read.
    let deaths: DeathList
    do {
      deaths = try await records.deaths(since: started)
    } catch {
      deaths = DeathList(problem: String(describing: error))
    }
    return ProcessTree(
      coordinator: status(),
      compilation: coordinator.catalog.compilation,
      cores: coordinator.sessions.coreLoad,
      standbys: await coordinator.standbys(),
      launches: await coordinator.launches(),
      workers: await coordinator.sessions.workers(),
      servers: await coordinator.workers.servers.statuses(),
      hosts: await hosts(),
      deaths: deaths,
      approvals: await coordinator.sessions.approvals.pending,
      clientCalls: (try? await records.clientCalls()) ?? []
    )
  }

  package func renderedPrompt(of run: String) async -> RenderedPrompt? {
    await coordinator.roster.prompt(of: RunID(run))
  }

  package func agents() async -> [AgentSummary] { await coordinator.catalog.summaries }

  package func hosts() async -> [HostReport] { await coordinator.workers.hosts.reports() }

  package func change(_ host: HostChange) async throws {
    try await coordinator.workers.hosts.change(host.host, host.action)
  }

  package func metrics() async throws -> String {
    try await coordinator.metrics(try await processes())
  }

  // MARK: Turns

  package func resume(_ request: SessionRequest) async throws -> EventStream<TurnEvent> {
    let name = try SessionName.checked(request.session)
    return try await run(request.id, Claim(session: name)) {
      try await coordinator.sessions.session(named: name)
    } answer: { session, publish in
      try await session.resume(isAttended: request.isAttended ?? isAttended, watch: publish)
    }
  }

  package func submit(_ outputs: ClientToolOutputs) async throws -> EventStream<TurnEvent> {
    let name = try await session(of: outputs)
    let texts = outputs.outputs.map { "\($0.callID): \($0.text)" }.joined(separator: "\n")
    return try await run(outputs.id, Claim(session: name, prompt: texts)) {
      try await coordinator.sessions.existing(name)
    } answer: { session, publish in
      try await session.submit(
        outputs.outputs,
        turn: outputs.turn,
        request: outputs.id,
        watch: publish
      )
    }
  }

  /// Returns the session that outputs are for, which must exist.
  private func session(of outputs: ClientToolOutputs) async throws -> String {
    guard let given = outputs.session else {
      guard let turn = outputs.turn else {
        throw ServiceError(.invalidRequest, "Outputs need a 'session' or a 'turn'.")
      }
      guard let session = try await records.session(ofTurn: turn) else {
        throw ClientCallError.noSuchTurn(turn)
      }
      return session
    }
    let name = try SessionName.checked(given)
    guard try await records.holder(of: name) != nil else {
      throw ServiceError(.notFound, "There is no session '\(name)'.")
    }
    return name
  }

  package func cancel(session: String) async throws {
    _ = try SessionName.checked(session)
    await coordinator.sessions.cancel(session)
  }

  // MARK: Sessions

  package func open(_ request: SessionRequest) async throws -> SessionStatus {
    let name = try SessionName.checked(request.session)
    let session = try await coordinator.sessions.session(
      named: request.session,
      begunBy: request.agent
    )
    let holder = try await records.holder(of: request.session) ?? ""
    var notes: [String] = []
    if let beginner = request.agent ?? coordinator.settings.beginner, beginner != holder {
      notes.append(
        TurnEvent.correction(of: name, goingOnWith: holder, beginner: beginner)
      )
    }
    if let abandoned = await session.takeAbandoned() { notes.append(abandoned) }
    return SessionStatus(
      session: name,
      holder: holder,
      isInterrupted: await session.isInterrupted,
      waitsForPrompt: await session.waitsForPrompt,
      notes: notes
    )
  }

  package func fork(_ request: ForkRequest) async throws -> SessionStatus {
    try await coordinator.sessions.fork(
      request.session,
      through: request.turn,
      as: request.name,
      SessionBeginning(origin: request.origin, isTemporary: request.isTemporary ?? false)
    )
    return try await open(SessionRequest(session: request.name))
  }

  package func delete(session: String) async throws {
    let runs = try await coordinator.sessions.delete(session)
    await coordinator.workers.servers.forget(session: SessionName.normalized(session))
    LogFolder(path: coordinator.settings.folders.logs)
      .remove(of: Set(runs), sparing: await coordinator.workers.ownRuns)
  }

  // MARK: Approvals

  package func approvals() async -> [ApprovalRecord] {
    await coordinator.sessions.approvals.pending
  }

  package func answer(_ answer: ApprovalAnswer) async throws -> ApprovalRecord {
    try await coordinator.sessions.approvals.answer(
      answer.id,
      denial: answer.denial,
      content: answer.content,
      isCancelled: answer.isCancelled,
      by: answer.by ?? .control
    )
  }

  package func events(
    of session: String?,
    since position: Int64?,
    includesEntries: Bool
  ) throws -> EventStream<SessionEvent> {
    let name = try session.map(SessionName.checked)
    return coordinator.events.subscribe(
      session: name,
      since: position,
      includesEntries: includesEntries
    )
  }

  package func stop() { coordinator.stop() }
}
