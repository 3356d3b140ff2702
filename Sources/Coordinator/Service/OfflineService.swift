package import Coordination
package import Journal
package import Wire

/// The service where no coordinator runs: it reads the journal, and refuses the rest.
package struct OfflineService: RecordedService {
  let records: JournalRecords
  private let folders: Folders

  package init(_ folders: Folders) {
    self.folders = folders
    records = JournalRecords(folders: folders) { try JournalReader(path: folders.journal) }
  }

  /// A coordinator that is starting, or answers its own question, takes no requests.
  private var refusal: CoordinatorError {
    guard let holder = StateLock.holder(of: folders), holder.socket == nil else {
      return .noCoordinator
    }
    return .unreachable(holder)
  }

  package func status() throws -> CoordinatorStatus { throw refusal }
  package func processes() throws -> ProcessTree { throw refusal }
  package func renderedPrompt(of _: String) throws -> RenderedPrompt? { throw refusal }
  package func prompt(_: PromptRequest) throws -> EventStream<TurnEvent> { throw refusal }
  package func submit(_: ClientToolOutputs) throws -> EventStream<TurnEvent> { throw refusal }
  package func resume(_: SessionRequest) throws -> EventStream<TurnEvent> { throw refusal }
  package func cancel(session _: String) throws { throw refusal }
  package func hosts() throws -> [HostReport] { throw refusal }
  package func change(_: HostChange) throws { throw refusal }
  package func agents() throws -> [AgentSummary] { throw refusal }
  package func fork(_: ForkRequest) throws -> SessionStatus { throw refusal }
  package func delete(session _: String) throws { throw refusal }
  package func open(_: SessionRequest) throws -> SessionStatus { throw refusal }
  package func approvals() throws -> [ApprovalRecord] { throw refusal }
  package func answer(_: ApprovalAnswer) throws -> ApprovalRecord { throw refusal }
  package func events(
    of _: String?,
    since _: Int64?,
    includesEntries _: Bool
  ) throws -> EventStream<SessionEvent> {
    throw refusal
  }
  package func stop() throws { throw refusal }
  package func metrics() throws -> String { throw refusal }
}
