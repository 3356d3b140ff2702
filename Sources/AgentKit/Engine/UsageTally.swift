import Synchronization

/// The usage of models below one call of a tool or one turn of a session.
///
/// The caller, or the session that runs the turn, includes it in its own usage, so it is counted
/// once at every level.
final class UsageTally: Sendable {
  enum Source {
    /// A friend, whose usage the host of the session counts.
    case friend
    /// A session that the agent's own code runs.
    case session
  }

  /// The tally to which this turn's session reports its own usage, or `nil` if nothing is above it.
  let outer: UsageTally?

  private let totals = Mutex(
    (friend: LanguageModelSession.Usage(), session: LanguageModelSession.Usage())
  )

  init(within outer: UsageTally? = nil) {
    self.outer = outer
  }

  func add(_ usage: LanguageModelSession.Usage, of source: Source) {
    // A model's metadata is its own, and is left out.
    let usage = LanguageModelSession.Usage(input: usage.input, output: usage.output)
    totals.withLock { totals in
      switch source {
      case .friend: totals.friend += usage
      case .session: totals.session += usage
      }
    }
  }

  /// Returns the usage so far, and resets it.
  func take(_ source: Source) -> LanguageModelSession.Usage {
    totals.withLock { totals in
      var taken = LanguageModelSession.Usage()
      switch source {
      case .friend: swap(&taken, &totals.friend)
      case .session: swap(&taken, &totals.session)
      }
      return taken
    }
  }
}

extension LanguageModelSession {
  /// Counts the usage below the turn that belongs to none of its calls.
  ///
  /// It comes from sessions that hooks, transforms and observers run. If nothing was used, the host
  /// is not told and nothing is awaited.
  ///
  /// - Returns: The usage since the last time.
  /// - Throws: An error that ends the turn.
  nonisolated(nonsending) func countUsageBelow(host: some TurnHost) async throws -> Usage {
    guard let tally = ToolCallContext.tally else { return Usage() }
    var used = tally.take(.friend)
    // The host already knows the usage of friends.
    if used.totalTokenCount > 0 { add(used, of: .friend) }
    let sessions = tally.take(.session)
    if sessions.totalTokenCount > 0 {
      used += sessions
      add(sessions)
      try await host.count(sessions)
    }
    return used
  }
}
