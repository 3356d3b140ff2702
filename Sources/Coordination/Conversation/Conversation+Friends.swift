import Foundation
import Journal
import Transcripts
import Wire

/// The conversations of friends whose processes have not all ended.
struct Friends {
  /// The friends that are answering, by their conversations.
  var running: [Int64: Conversation] = [:]
  /// The friends whose workers have been told to end, until they have.
  var leaving: [Int64: Conversation] = [:]

  var isEmpty: Bool { running.isEmpty && leaving.isEmpty }
  var all: [Int64: Conversation] { running.merging(leaving) { $1 } }
}

extension Conversation {
  /// Begins a friend's isolated conversation, with its one turn, under the call that it answers.
  func beginFriend(_ request: FriendRequest, _ share: Budget) async {
    guard let active = turn else { return }
    let question = request.question
    let input: Input
    do {
      let begun = try await services.journal.beginFriend(
        question.friend,
        prompt: RawEntry(prompt: question.prompt, after: []),
        question: (question.callID, question.friend, question.prompt),
        caps: share.journaled,
        of: record.id,
        turn: active.id,
        agent: request.call.agent,
        run: request.call.run.description
      )
      turn?.turn.state.apply(begun.phoned)
      input = .friendBegun(
        request,
        BegunFriend(
          conversation: begun.conversation,
          turn: begun.turn,
          facts: begun.facts,
          share: share
        )
      )
    } catch {
      input = .friendFailed(request, error)
    }
    await handle(input)
  }

  /// Runs a friend's turn, concurrently with this one and with those of other friends.
  func runFriend(_ request: FriendRequest, _ friend: BegunFriend) {
    guard let active = turn else { return }
    let id = friend.conversation.id
    // The turn waits for the friend, and so for the friend's host.
    let conversation = Conversation(friend.conversation, title: title, services: services) {
      [weak self, turn = active.id] in await self?.changeHolds(of: turn, by: $0)
    }
    friends.running[id] = conversation
    let (deadline, isAttended) = (active.deadlineOfFriend, active.turn.isAttended)
    let trace = active.turn.settings.traceparent
    let watch = active.watch
    let state = ConversationPast(holder: friend.conversation.holder)
      .turn(friend.turn.id, budget: friend.share).applying(friend.facts)
    // The conversation keeps receiving messages while the friend thinks.
    Task {
      let part = await conversation.answer(
        state,
        deadline: deadline,
        isAttended: isAttended,
        callerTrace: trace
      ) { if $0.concernsCaller { watch($0) } }
      guard let result = part.result else { preconditionFailure("a friend has no client") }
      await end(conversation, by: deadline + conversation.status.heldTime)
      let usage = await conversation.usageInAll
      let end = FriendEnd(
        conversation: id,
        answer: FriendAnswer(result, usage),
        usage: usage.tokens,
        budget: result.budget.journaled
      )
      await post(.friendEnded(end, run: request.call.run), to: active.id)
      // Where the turn is over, it is counted all the same.
      if friends.running.removeValue(forKey: id) != nil {
        team.addFriend(end.usage, of: request.call.run)
      }
    }
  }

  /// Ends a friend's workers and waits until they are gone, so that no more processes live than
  /// work, but not beyond the friend's deadline: a process may hang even after its answer.
  private func end(_ friend: Conversation, by deadline: SuspendingClock.Instant) async {
    let id = friend.record.id
    friends.leaving[id] = friend
    let (gone, continuation) = AsyncStream<Void>.makeStream()
    // Unstructured, because the caller waits for it only until the deadline.
    Task {
      await friend.close()
      friends.leaving[id] = nil
      continuation.finish()
    }
    let alarm = Alarm(at: deadline) { continuation.finish() }
    defer { alarm.cancel() }
    for await _ in gone {}
  }

  /// What this conversation and those below it have used so far.
  var usageInAll: RequestUsage {
    get async {
      var all = team.usage
      for friend in friends.running.values { all.addTokens(of: await friend.usageInAll) }
      return all
    }
  }

  /// Lets a person be asked about the calls of the current turn, and of the friends that it has on
  /// the phone.
  func attend() {
    turn?.turn.isAttended = true
    // One that waits before it goes on.
    recovery.isAttended = true
    for friend in friends.running.values {
      // The friend has an actor of its own.
      Task { await friend.attend() }
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
