import Journal

// Copies, deletions and cancellations of sessions.

extension Sessions {
  /// Begins a session with what another has come to.
  /// - Parameter turn: The last turn that is copied; `nil` for all turns.
  /// - Throws: `SessionName.Fault`, `SessionError` or `JournalError`.
  package func fork(
    _ session: String,
    through turn: Int64?,
    as name: String,
    _ beginning: SessionBeginning
  ) async throws {
    guard !isClosed else { throw ConversationError.closed }
    let name = try SessionName.checked(name)
    while let task = deleting[name] { _ = try? await task.value }
    try await services.journal.fork(
      SessionName.checked(session),
      through: turn,
      as: name,
      origin: beginning.origin,
      isTemporary: beginning.isTemporary
    )
  }

  /// Deletes a session for good, with its friends.
  /// - Returns: The runs of its workers.
  /// - Throws: `SessionError.isUnderWay` while a prompt is being answered; `SessionName.Fault`,
  ///   other cases of `SessionError`, or `JournalError`.
  package func delete(_ given: String) async throws -> [String] {
    let name = try SessionName.checked(given)
    _ = try? await opening[name]?.value
    guard !isClosed else { throw ConversationError.closed }
    if let task = deleting[name] { return try await task.value }
    // A task, so that a caller that goes away leaves nothing half deleted.
    let task = Task { try await self.remove(name) }
    deleting[name] = task
    return try await task.value
  }

  private func remove(_ name: String) async throws -> [String] {
    defer { deleting[name] = nil }
    if let known = open[name] ?? resting[name]?.session {
      guard await known.closeForDeletion() else { throw SessionError.isUnderWay(name) }
    }
    (open[name], resting[name]) = (nil, nil)
    return try await services.journal.remove(name, compacts: false).runs
  }

  /// Stops the current turn of a conversation, because a person takes it back.
  package func cancel(_ given: String) async {
    guard let name = try? SessionName.checked(given) else { return }
    if let known = open[name] { return await known.cancel() }
    if let known = try? await opening[name]?.value { return await known.cancel() }
    // A turn that waits for its client may wait on disk alone.
    guard await waitsOnDisk(name) else { return }
    await (try? existing(name))?.cancel()
  }

  /// Whether the last turn of a conversation has no end.
  private func waitsOnDisk(_ name: String) async -> Bool {
    let reader = JournalReader(services.journal)
    guard let record = try? await reader.conversation(named: name),
      let turn = try? await reader.turns(of: record.id).last
    else { return false }
    return turn.exit == nil
  }
}
