import Synchronization

/// What is used of models below one call of a tool, or below one turn of a session.
///
/// Whoever made the call, or runs the turn, includes it in its own usage, and so it is counted once at
/// every level.
final class UsageTally: Sendable {
  /// Who has used it.
  enum Source {
    /// A friend, which whoever runs the session counts.
    case friend
    /// A session that the agent's own code runs.
    case session
  }

  /// Where the session counts what it uses itself whose turn this is; `nil` where nobody is above it.
  let outer: UsageTally?

  private let totals = Mutex(
    (friend: LanguageModelSession.Usage(), session: LanguageModelSession.Usage())
  )

  init(within outer: UsageTally? = nil) {
    self.outer = outer
  }

  func add(_ usage: LanguageModelSession.Usage, of source: Source) {
    // What a model says beside its figures is its own.
    let usage = LanguageModelSession.Usage(input: usage.input, output: usage.output)
    totals.withLock { totals in
      switch source {
      case .friend: totals.friend += usage
      case .session: totals.session += usage
      }
    }
  }

  /// Reads what was used, and begins anew.
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
  /// Counts what was used below the turn and by none of its calls: by sessions that hooks, transforms
  /// and observers run.
  ///
  /// Nobody is told, and nothing is waited for, where nothing was used.
  /// - Returns: What was used since this was done the last time.
  /// - Throws: To end the turn.
  nonisolated(nonsending) func countUsageBelow(host: some TurnHost) async throws -> Usage {
    guard let tally = ToolCallContext.tally else { return Usage() }
    var used = tally.take(.friend)
    // Of friends the host knows.
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
