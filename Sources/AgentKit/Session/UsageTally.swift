import Synchronization

/// What is used of models below one call of a tool.
///
/// Whoever made the call includes it in its own usage, and so it is counted once at every level.
final class UsageTally: Sendable {
  /// Who has used it.
  enum Source {
    /// A friend, which whoever runs the session counts.
    case friend
    /// A session that the tool runs itself.
    case session
  }

  private let totals = Mutex(
    (friend: LanguageModelSession.Usage(), session: LanguageModelSession.Usage())
  )

  func usage(of source: Source) -> LanguageModelSession.Usage {
    totals.withLock { source == .friend ? $0.friend : $0.session }
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
}
