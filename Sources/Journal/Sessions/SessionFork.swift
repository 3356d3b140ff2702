import GRDB

extension Journal {
  /// Begins a session with what another has come to: all or nothing.
  ///
  /// Its log begins with copies of the other's facts, also of those of the friends that were phoned,
  /// so that it stays whole when the other is deleted.
  /// - Parameters:
  ///   - session: The session to copy.
  ///   - turn: The last turn that is copied; `nil` for all turns.
  ///   - name: The name of the new session.
  /// - Throws: `SessionError`, `JournalError`.
  package func fork(
    _ session: String,
    through turn: Int64? = nil,
    as name: String,
    origin: String? = nil,
    isTemporary: Bool = false
  ) async throws {
    do {
      try await database.writeWithoutTransaction { db in
        try db.inTransaction {
          if try ConversationRecord.fetch(db, named: name) != nil {
            throw SessionError.nameTaken(name)
          }
          var fork = SessionFork(name: name, origin: origin, isTemporary: isTemporary)
          try fork.copy(session, through: turn, db)
          return .commit
        }
      }
    } catch {
      throw JournalError(error, path: path) ?? error
    }
  }
}

/// The beginning of a session that is a copy of another's.
private struct SessionFork {
  let name: String
  let origin: String?
  let isTemporary: Bool
  /// The conversations whose facts are copied.
  private var conversations: Set<Int64> = []
  /// The turns that are copied, and have no end so far.
  private var open: Set<Int64> = []
  private var turns: Set<Int64> = []

  init(name: String, origin: String?, isTemporary: Bool) {
    (self.name, self.origin, self.isTemporary) = (name, origin, isTemporary)
  }

  mutating func copy(_ session: String, through last: Int64?, _ db: Database) throws {
    let scope = try SessionScope(session, db)
    let sql = "SELECT * FROM fact WHERE \(scope.condition("conversation")) ORDER BY id"
    let facts = try Row.fetchAll(db, sql: sql).map { try Fact($0) }
    guard let root = facts.first?.conversation else { throw SessionError.unknown(session) }
    if let last, !facts.contains(where: { $0.conversation == root && $0.turn == last }) {
      throw SessionError.unknownTurn(session, turn: last)
    }
    var numbers = try Renumbering(appendingTo: db)
    var isOver = false
    for fact in facts {
      // A worker that lives on when a later turn begins ends in the original alone.
      if let last, fact.conversation == root, let turn = fact.turn, turn > last { isOver = true }
      guard admits(fact, root, isOver: isOver, through: last) else { continue }
      let copy = try numbers.renumbered(adopted(fact))
      try Projection.apply(copy, db)
      try FactRow(copy).insert(db)
    }
    guard open.isEmpty else { throw SessionError.isUnderWay(session) }
  }

  /// Whether a fact belongs to what is copied.
  private mutating func admits(
    _ fact: Fact,
    _ root: Int64,
    isOver: Bool,
    through last: Int64?
  ) -> Bool {
    switch fact.event {
    case .began(let start):
      guard start.parent.map({ turns.contains($0.turn) }) ?? true else { return false }
      conversations.insert(fact.conversation)
      return true
    case .prompted:
      guard conversations.contains(fact.conversation), let turn = fact.turn,
        fact.conversation != root || last.map({ turn <= $0 }) ?? true
      else { return false }
      turns.insert(turn)
      open.insert(turn)
      return true
    default:
      if case .ended = fact.event, let turn = fact.turn { open.remove(turn) }
      guard let turn = fact.turn else {
        return conversations.contains(fact.conversation)
          && !(isOver && fact.conversation == root)
      }
      return turns.contains(turn)
    }
  }

  /// Returns a fact as it is in the new session.
  private func adopted(_ fact: Fact) -> Fact {
    var fact = fact
    switch fact.event {
    case .began(let start) where start.parent == nil:
      fact.event = .began(
        ConversationStart(
          name: name,
          holder: start.holder,
          origin: origin,
          isTemporary: isTemporary
        )
      )
    case .prompted(let entry, let caps, let options, _):
      // A request joins the turn that it asked for, and not a copy.
      fact.event = .prompted(entry, caps: caps, options: options)
    default: break
    }
    return fact
  }
}
