import Journal
import Transcripts
import Wire

extension Conversation {
  /// The most bytes of all session properties: every worker holds them, and a new one is sent all.
  static let maximumPropertyBytes = 64 << 20

  /// Journals an agent's change to the shared state, and only then lets the agent go on.
  func keep(_ change: StateChange, turn: Int, agent: String) async throws {
    guard isCurrent(turn, agent), let active = self.turn, let link = seats[agent]?.link else {
      return try noteStray(agent)
    }
    let edited = try change.history?.applied(to: active.history)
    // An edit counts as one, however many entries it inserts: an agent may rewrite a long history.
    try self.turn?.quota.take(entries: 1 + change.properties.count)
    try checkRoom(for: change.properties, agent: agent)
    let size = try await services.journal.keepState(
      properties: change.properties,
      edit: change.history,
      context: change.context,
      conversation: record.id,
      turn: active.id,
      agent: agent,
      request: change.figures.map { (RequestRecord($0), link.run.description) }
    )
    if let figures = change.figures {
      add(figures, of: link.run, turn: turn, agent: agent)
      // A summary is a request of its own, while usage by hooks says nothing about the open one.
      if change.context != nil, isCurrent(turn, agent) { self.turn?.openRequest = nil }
    }
    // What is on disk holds even if the turn was stopped in the meantime.
    properties.merge(change.properties) { $1 }
    guard isCurrent(turn, agent) else { return }
    try self.turn?.quota.take(bytes: size)
    seats[agent]?.properties.merge(change.properties) { $1 }
    if let context = change.context { active.watch(.context(agent: agent, context)) }
    if let edited, let unchanged = change.history?.unchangedCount {
      self.turn?.history = edited
      self.turn?.unchanged = min(active.unchanged, unchanged)
      forget(after: unchanged)
      seats[agent]?.known = edited.count
    }
    try link.send(.stateKept(turn: turn))
  }

  /// Checks that a change leaves the session properties within their limit.
  ///
  /// Properties that an older version let grow beyond the limit may still shrink.
  /// - Throws: `ConversationError` when they would become too large.
  private func checkRoom(for change: [String: String], agent: String) throws {
    guard !change.isEmpty else { return }
    let bytes = Self.bytes(of: properties.merging(change) { $1 })
    guard bytes > Self.maximumPropertyBytes, bytes > Self.bytes(of: properties) else { return }
    throw ConversationError.propertiesTooLarge(
      agent: agent,
      bytes: bytes,
      limit: Self.maximumPropertyBytes
    )
  }

  private static func bytes(of properties: [String: String]) -> Int {
    properties.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
  }

  /// Limits what the workers are taken to know to the first entries of the history.
  func forget(after count: Int) {
    for (name, seat) in seats { seats[name]?.known = min(seat.known, count) }
  }
}
