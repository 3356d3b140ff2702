import Journal
import Synchronization
import Transcripts

/// The conversations of friends whose processes have not all ended.
final class Friends: Sendable {
  private struct State {
    /// The friends that are answering, by their conversations.
    var running: [Int64: Conversation] = [:]
    /// The friends whose workers have been told to end, until they have.
    var leaving: [Int64: Conversation] = [:]
  }

  private let state = Mutex(State())

  var running: [Int64: Conversation] { state.withLock { $0.running } }

  var all: [Int64: Conversation] { state.withLock { $0.running.merging($0.leaving) { $1 } } }

  /// Runs a friend's turn, concurrently with that of its caller and those of other friends.
  /// - Parameters:
  ///   - traceparent: The span of the caller's turn.
  ///   - report: Tells the caller's turn of the friend's end.
  func run(
    _ friend: Conversation,
    _ state: TurnState,
    deadline: SuspendingClock.Instant,
    isAttended: Bool,
    traceparent: String?,
    countHolds: @escaping ActiveTurn.CountHolds,
    watch: @escaping @Sendable (TurnEvent) -> Void,
    report: @escaping @Sendable (FriendEnd) async -> Void
  ) {
    let id = friend.record.id
    self.state.withLock { $0.running[id] = friend }
    // The caller keeps receiving messages while the friend thinks.
    Task {
      let part = await friend.runTurn(
        state,
        deadline: deadline,
        isAttended: isAttended,
        traceparent: traceparent,
        countHolds: countHolds
      ) { if $0.concernsCaller { watch($0) } }
      guard let result = part.result else { preconditionFailure("a friend has no client") }
      let held = await friend.status.heldTime
      await end(friend, by: deadline + held)
      let usage = await friend.usageInAll
      await report(
        FriendEnd(
          conversation: id,
          answer: FriendAnswer(result, usage),
          usage: usage.tokens,
          budget: result.budget.journaled
        )
      )
    }
  }

  /// Ends a friend's workers and waits until they are gone, so that no more processes live than
  /// work, but not beyond the friend's deadline: a process may hang even after its answer.
  private func end(_ friend: Conversation, by deadline: SuspendingClock.Instant) async {
    let id = friend.record.id
    state.withLock { $0.leaving[id] = friend }
    let (gone, continuation) = AsyncStream<Void>.makeStream()
    // Unstructured, because the caller waits for it only until the deadline.
    Task {
      await friend.close()
      state.withLock { $0.leaving[id] = nil }
      continuation.finish()
    }
    let alarm = Alarm(at: deadline) { continuation.finish() }
    defer { alarm.cancel() }
    for await _ in gone {}
  }

  /// Lets go of a friend whose usage is counted with its caller's.
  func forget(_ conversation: Int64) { state.withLock { $0.running[conversation] = nil } }

  /// What the friends that are answering have used so far.
  var usage: RequestUsage {
    get async {
      var all = RequestUsage()
      for friend in running.values { all.addTokens(of: await friend.usageInAll) }
      return all
    }
  }
}

extension RequestUsage {
  /// The tokens alone: times and caches of friends are their own.
  fileprivate var tokens: RequestUsage {
    var tokens = RequestUsage()
    tokens.addTokens(of: self)
    return tokens
  }
}

extension FriendAnswer {
  /// The most bytes of an answer: more than a window holds, yet few enough for a single message.
  static let maximumBytes = 1 << 20

  /// What a friend's turn came to; at a cap, that includes an answer that it was writing.
  init(_ result: TurnResult, _ usage: RequestUsage) {
    var text = result.summary.answer
    if case .cap = result.summary.exit { text = text ?? result.unfinishedAnswer }
    self.init(text, exit: result.summary.exit, usage)
  }

  init(_ text: String?, exit: TurnExit, _ usage: RequestUsage) {
    let beginning = text.flatMap { text in
      text.utf8.count <= Self.maximumBytes
        ? nil : String(decoding: text.utf8.prefix(Self.maximumBytes), as: UTF8.self)
    }
    self.init(
      beginning ?? text,
      exit: beginning == nil ? exit : .cap("length"),
      usage: .init(
        input: .init(totalTokenCount: usage.tokensIn, cachedTokenCount: usage.tokensCached),
        output: .init(
          totalTokenCount: usage.tokensOut,
          reasoningTokenCount: usage.reasoningTokens ?? 0
        )
      )
    )
  }
}
