import Foundation
import GRDB
import Synchronization
package import Transcripts

/// The append-only record of everything that was said and done.
///
/// It is one log of facts. Conversations, turns and runs are projections of it, which change in the
/// same transaction. Only one process writes it. A write returns when it is on disk, so everything
/// that depends on it happens afterwards.
package final class Journal: Sendable {
  let database: any DatabaseWriter
  let path: String
  private let commits: CommitQueue
  private let followers = Mutex<[@Sendable () async -> Void]>([])

  /// Opens a journal for writing, and creates it if there is none.
  ///
  /// A journal that was not closed is read once from end to end before anything is added.
  /// - Throws: `JournalError`.
  package init(path: String) throws {
    self.path = path
    do {
      database = try JournalOpening(path: path).open()
    } catch {
      throw JournalError(error, path: path) ?? error
    }
    commits = CommitQueue(database, path: path)
  }

  /// Calls a follower of the log before facts are removed from it, which it may not have read yet.
  package func beforeRemovals(_ call: @escaping @Sendable () async -> Void) {
    followers.withLock { $0.append(call) }
  }

  /// Lets those who follow the log read it to its end.
  func prepareRemoval() async {
    for follower in followers.withLock({ $0 }) { await follower() }
  }

  /// How long commits have taken since it was opened.
  package var commitTimes: CommitTimes { commits.times }

  /// Returns how many bytes opening a journal reads from end to end, because it was not closed.
  package static func bytesToCheck(at path: String) -> Int {
    JournalOpening(path: path).bytesToCheck
  }

  /// Moves everything into the one file and closes the journal for writing.
  package func close() throws {
    // Closing alone leaves the log beside the file, because the reading connections close last. If
    // there is no room to move it, it stays there.
    _ = try? database.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    do {
      try database.close()
    } catch {
      throw JournalError(error, path: path) ?? error
    }
  }

  /// Appends what happened: all or nothing.
  ///
  /// Returns when it is on disk. What arrives while the disk is busy is written together. An append
  /// with the end of a turn may use room that is reserved for that on a full disk.
  /// - Returns: The facts, with their places in the log.
  /// - Throws: `JournalError`; other errors for an event that no fact can hold, such as one with a
  ///   negative count.
  @discardableResult
  package func append(
    _ events: [Fact.Event],
    in conversation: Int64,
    turn: Int64? = nil,
    agent: String? = nil,
    run: String? = nil
  ) async throws -> [Fact] {
    let author = Draft.Author(conversation: conversation, turn: turn, agent: agent, run: run)
    let drafts = try events.map { try Draft($0, author) }
    let isEnd = events.contains { $0.kind == .ended }
    return try await commits.write(isEnd: isEnd) { db in
      let now = Date.journaled
      return try drafts.map { try $0.append(at: now, db) }
    }
  }

  // MARK: Beginnings

  /// Returns the conversation with a name, or begins it with a holder.
  package func conversation(named name: String, holder: String) async throws -> ConversationRecord {
    try await conversation(ConversationStart(name: name, holder: holder))
  }

  /// Returns the conversation with the name of a start, or begins it.
  /// - Parameter history: The entries with which a new one begins, from another program.
  package func conversation(
    _ start: ConversationStart,
    history: [RawEntry] = []
  ) async throws -> ConversationRecord {
    try await commits.write { db in
      if let name = start.name, let known = try ConversationRecord.fetch(db, named: name) {
        return known
      }
      let now = Date.journaled
      let author = Draft.Author(
        conversation: try Self.lastNumber(in: "conversation", db) + 1
      )
      for event in [.began(start)] + history.map(Fact.Event.importedEntry) {
        try Draft(event, author).append(at: now, db)
      }
      return try ConversationRecord.fetch(db, id: author.conversation)
    }
  }

  /// Begins a turn with its prompt: both or neither.
  /// - Parameters:
  ///   - caps: The turn's caps as JSON, for a coordinator that may have to continue it.
  ///   - options: What the sender asks of the turn, for the same reason.
  ///   - request: The identity of the sender's request.
  ///   - substitution: The agent that takes the baton because its holder is no longer available.
  package func beginTurn(
    in conversation: Int64,
    prompt: RawEntry,
    caps: String,
    options: TurnOptions? = nil,
    request: String? = nil,
    substitution: BatonPass? = nil
  ) async throws -> (turn: TurnRecord, facts: [Fact]) {
    let prompted = Fact.Event.prompted(prompt, caps: caps, options: options, request: request)
    return try await commits.write { db in
      try Self.beginTurn(
        [prompted] + (substitution.map { [.passedBaton($0)] } ?? []),
        in: conversation,
        at: .journaled,
        db
      )
    }
  }

  /// Begins the isolated conversation of a friend and its one turn: all or nothing.
  /// - Parameters:
  ///   - question: The call that asks, the friend's name in it, and the question.
  ///   - caps: The friend's share of its parent's budget, as JSON.
  ///   - conversation: The conversation of the agent that asks, with the turn, the agent and its run.
  /// - Returns: The friend's conversation and turn with its facts, and the fact of the turn that asks.
  package func beginFriend(
    _ question: (callID: String, friend: String, prompt: String),
    prompt: RawEntry,
    caps: String,
    of conversation: Int64,
    turn: Int64,
    agent: String?,
    run: String?
  ) async throws -> (
    conversation: ConversationRecord, turn: TurnRecord, facts: [Fact], phoned: Fact
  ) {
    try await commits.write { db in
      let now = Date.journaled
      let id = try Self.lastNumber(in: "conversation", db) + 1
      let parent = ConversationRecord.Parent(turn: turn, callID: question.callID)
      let start = ConversationStart(name: nil, holder: question.friend, parent: parent)
      // In this order, a fact refers only to those before it.
      let began = try Draft(.began(start), .init(conversation: id)).append(at: now, db)
      let begun = try Self.beginTurn([.prompted(prompt, caps: caps)], in: id, at: now, db)
      let call = FriendCall(
        conversation: id,
        callID: question.callID,
        friend: question.friend,
        prompt: question.prompt
      )
      let phoned = try Draft(
        .phoned(call),
        .init(conversation: conversation, turn: turn, agent: agent, run: run)
      ).append(at: now, db)
      let record = try ConversationRecord.fetch(db, id: id)
      return (record, begun.turn, [began] + begun.facts, phoned)
    }
  }

  private static func beginTurn(
    _ events: [Fact.Event],
    in conversation: Int64,
    at now: Date,
    _ db: Database
  ) throws -> (turn: TurnRecord, facts: [Fact]) {
    let turn = try lastNumber(in: "turn", db) + 1
    let facts = try events.map { event in
      try Draft(event, .init(conversation: conversation, turn: turn)).append(at: now, db)
    }
    return (try TurnRecord.fetch(db, id: turn), facts)
  }

  /// The greatest number that was given in a table, also to a row that was removed; 0 for none.
  static func lastNumber(in table: String, _ db: Database) throws -> Int64 {
    let greatest = try Int64.fetchOne(db, sql: "SELECT MAX(id) FROM \(table)")
    let given = "SELECT seq FROM sqlite_sequence WHERE name = ?"
    return max(greatest ?? 0, try Int64.fetchOne(db, sql: given, arguments: [table]) ?? 0)
  }

  // MARK: Leftovers

  /// Denies what an earlier coordinator left unanswered: that question can no longer be answered.
  ///
  /// A turn that goes on asks again.
  package func closeApprovals(because denial: String) async throws {
    let reader = JournalReader(self)
    for turn in try await reader.openTurns() {
      for question in try await reader.approvals(of: turn.id) where question.answer == nil {
        let decision = ApprovalDecision(denial: denial, by: .unanswered)
        let event = Fact.Event.answeredApproval(question: question.id, decision)
        try await append([event], in: turn.conversation, turn: turn.id)
      }
    }
  }

  /// Ends the runs of workers that ended with their coordinator, in a way that nothing observed.
  package func closeRuns(outcome: String) async throws {
    try await commits.write { db in
      let now = Date.journaled
      let end = RunEnd(outcome: outcome, cause: RunRecord.lost)
      for row in try Row.fetchAll(db, sql: "SELECT * FROM run WHERE ended IS NULL ORDER BY id") {
        let run = try RunRecord(row)
        let author = Draft.Author(conversation: run.conversation, agent: run.agent, run: run.id)
        try Draft(.exited(end), author).append(at: now, db)
      }
    }
  }
}

/// A fact that has no place in the log yet.
private struct Draft: Sendable {
  struct Author: Sendable {
    var conversation: Int64
    var turn: Int64?
    var agent: String?
    var run: String?
  }

  private let fact: Fact
  private let row: FactRow

  /// Encodes the fact, before the journal is busy with it.
  init(_ event: Fact.Event, _ author: Author) throws {
    fact = Fact(
      id: 0,
      conversation: author.conversation,
      turn: author.turn,
      agent: author.agent,
      run: author.run,
      at: .distantPast,
      event: event
    )
    row = try FactRow(fact)
  }

  @discardableResult
  func append(at date: Date, _ db: Database) throws -> Fact {
    var (fact, row) = (fact, row)
    (fact.at, row.at, row.id) = (date, date.timeIntervalSince1970, nil)
    try Projection.apply(fact, db)
    try row.insert(db)
    fact.id = db.lastInsertedRowID
    return fact
  }
}

extension Date {
  /// Now, as it is read from the journal.
  static var journaled: Date { Date(timeIntervalSince1970: Date().timeIntervalSince1970) }
}
