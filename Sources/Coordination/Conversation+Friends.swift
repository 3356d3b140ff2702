import Foundation
import Journal
import Transcripts
import Wire

extension Conversation {
  /// Phones a friend, concurrently with the turn: several can be on the phone at once.
  func phone(
    _ friend: String,
    prompt: String,
    callID: String,
    turn: Int,
    agent: String
  ) throws {
    guard isCurrent(turn, agent), let link = seats[agent]?.link else { return }
    // Repeated questions count too, because everything that waits for an answer takes memory.
    try self.turn?.quota.take(entries: 1)
    try self.turn?.quota.take(bytes: friend.utf8.count + prompt.utf8.count)
    guard self.turn?.round?.mayRun(callID) == true else {
      throw ConversationError.strayCall(callID, agent: agent)
    }
    let question = FriendQuestion(callID: callID, friend: friend, prompt: prompt)
    var kept = self.turn?.phoned.answer(to: question, for: link.run)
    if kept == nil {
      switch self.turn?.budget.reserveFriend() {
      case nil: return
      // Tasks, because the calling conversation must keep receiving messages while it waits for a
      // share or the friend thinks.
      case .later:
        kept = Task { await self.askLater(friend, prompt, for: link.run, callID, Int64(turn)) }
      case .refused(let cap):
        let answer = FriendAnswer(nil, exit: .cap(cap))
        try link.send(.friendAnswered(turn: turn, callID: callID, answer))
      case .reserved(let budget):
        self.turn?.admissionAhead = nil
        kept = Task { await self.ask(friend, prompt, budget, for: link.run, callID, Int64(turn)) }
      }
      if let kept { self.turn?.phoned.keep(kept, to: question) }
    }
    guard let answer = kept else { return }
    // Nobody waits for this one: each question is answered once its own friend is done.
    Task {
      do {
        try link.send(.friendAnswered(turn: turn, callID: callID, await answer.value))
        // From here on, the same question from the same worker is a new one.
        self.turn?.phoned.note(answer, to: question, heardBy: link.run)
      } catch {
        await self.giveUp(on: link.run, because: error)
      }
    }
  }

  /// Asks the friend once the turn's budget has a share available again.
  private func askLater(
    _ friend: String,
    _ prompt: String,
    for run: RunID,
    _ callID: String,
    _ id: Int64
  ) async -> FriendAnswer {
    while true {
      guard turn?.id == id, turn?.stopping == nil,
        let reservation = turn?.budget.reserveFriend()
      else { return FriendAnswer(nil, exit: .cancelled) }
      switch reservation {
      case .reserved(let budget): return await ask(friend, prompt, budget, for: run, callID, id)
      case .later:
        // Friends that hold a share return it when the turn ends, at the latest.
        await withCheckedContinuation { waitingFriends.append($0) }
      case .refused(let cap): return FriendAnswer(nil, exit: .cap(cap))
      }
    }
  }

  /// Puts back what a friend did not use of its share, so that waiting friends can use it.
  private func release(_ budget: Budget, of share: Budget, turn id: Int64) {
    guard turn?.id == id else { return }
    turn?.budget.release(budget, of: share)
    wakeFriends()
  }

  /// Wakes the waiting friends, so that they ask for a share again.
  func wakeFriends() {
    let waiting = waitingFriends
    waitingFriends = []
    for friend in waiting { friend.resume() }
  }

  private func ask(
    _ friend: String,
    _ prompt: String,
    _ budget: Budget,
    for run: RunID,
    _ callID: String,
    _ id: Int64
  ) async -> FriendAnswer {
    let deadline = turn?.deadlineOfFriend ?? .now
    do {
      let entry = try entry(of: prompt, [])
      let (conversation, begun) = try await begin(
        friend,
        entry,
        budget: budget,
        callID: callID,
        turn: id
      )
      let result = await conversation.answer(
        entry,
        in: begun,
        budget: budget,
        deadline: deadline,
        isAttended: turn?.isAttended ?? false,
        watch: watch(of: id)
      )
      await end(conversation, by: deadline)
      let figures = await conversation.usedInAll()
      // From here on it is counted here, and no longer as a friend on the phone.
      rollUp(figures, into: run, turn: id)
      friends[conversation.record.id] = nil
      release(result.budget, of: budget, turn: id)
      return FriendAnswer(result, figures)
    } catch {
      release(budget, of: budget, turn: id)
      return .failed(String(describing: error))
    }
  }

  /// Ends a friend's workers and waits until they are gone, so that no more processes live than
  /// work, but not beyond the friend's deadline: a process may hang even after its answer.
  private func end(_ friend: Conversation, by deadline: SuspendingClock.Instant) async {
    let id = friend.record.id
    leavingFriends[id] = friend
    let (gone, continuation) = AsyncStream<Void>.makeStream()
    // Unstructured, because the caller waits for it only until the deadline.
    Task {
      await friend.close()
      leavingFriends[id] = nil
      continuation.finish()
    }
    let alarm = Alarm(at: deadline) { continuation.finish() }
    defer { alarm.cancel() }
    for await _ in gone {}
  }

  /// The friends on the phone, and those that have hung up and whose workers have not ended.
  var friendsWithProcesses: [Int64: Conversation] { friends.merging(leavingFriends) { $1 } }

  /// Adds a friend's usage to that of its caller; its budget was already paid from the caller's.
  private func rollUp(_ figures: RequestFigures, into run: RunID, turn id: Int64) {
    lives[run]?.friends.addTokens(of: figures)
    used.addTokens(of: figures)
    if turn?.id == id { turn?.figures.addTokens(of: figures) }
  }

  /// Returns what everybody in this conversation and below it has used so far.
  func usedInAll() async -> RequestFigures {
    var all = used
    for friend in friends.values { all.addTokens(of: await friend.usedInAll()) }
    return all
  }

  /// Opens a friend's isolated conversation, with its one turn, under the call that it answers.
  private func begin(
    _ friend: String,
    _ prompt: Transcript.Entry,
    budget: Budget,
    callID: String,
    turn id: Int64
  ) async throws -> (Conversation, turn: Int64) {
    let (record, begun) = try await services.journal.beginFriend(
      friend,
      prompt: prompt,
      turn: id,
      callID: callID,
      caps: budget.journaled
    )
    let conversation = Conversation(record, title: title, services: services)
    friends[record.id] = conversation
    // The actor was suspended: the turn may have been stopped in the meantime.
    if turn?.id != id || turn?.stopping != nil { await conversation.close() }
    return (conversation, begun.id)
  }

  /// Returns a watcher that passes on only events about phoning; a friend's words stay its own.
  private func watch(of id: Int64) -> @Sendable (TurnEvent) -> Void {
    guard let active = turn, active.id == id else { return { _ in } }
    let watch = active.watch
    return { event in
      switch event {
      case .friendPhoned, .friendGone, .coreAwaited, .memoryAwaited, .serverAwaited,
        .approvalAsked, .approvalAnswered, .context, .trouble:
        watch(event)
      case .accepted, .resumed, .workerReplaced, .text, .toolCall, .toolOutput, .batonPassed,
        .said, .answered, .ended:
        break
      }
    }
  }
}

extension FriendAnswer {
  /// The most bytes of an answer: more than a window holds, yet few enough for a single message.
  static let maximumBytes = 1 << 20

  /// What a friend's turn came to; at a cap, that includes an answer that it was writing.
  init(_ result: TurnResult, _ figures: RequestFigures) {
    var text = result.summary.answer
    if case .cap = result.summary.exit { text = text ?? result.unfinishedAnswer }
    self.init(text, exit: result.summary.exit, figures)
  }

  init(_ text: String?, exit: TurnExit, _ figures: RequestFigures) {
    let beginning = text.flatMap { text in
      text.utf8.count <= Self.maximumBytes
        ? nil : String(decoding: text.utf8.prefix(Self.maximumBytes), as: UTF8.self)
    }
    self.init(
      beginning ?? text,
      exit: beginning == nil ? exit : .cap("length"),
      usage: .init(
        input: .init(totalTokenCount: figures.tokensIn, cachedTokenCount: figures.tokensCached),
        output: .init(totalTokenCount: figures.tokensOut, reasoningTokenCount: 0)
      )
    )
  }
}
