package import Foundation
import GRDB

extension Journal {
  /// Imports a session from an exported file: all or nothing.
  ///
  /// Its facts are appended under new numbers. A turn without an end is marked: a file cannot have it
  /// go on here by itself.
  /// - Parameters:
  ///   - content: What is in the file.
  ///   - path: Where the file is, for what is said of it.
  ///   - name: The session's name here; `nil` keeps its name.
  /// - Returns: The name of the session.
  /// - Throws: `SessionError`, `SessionName.Fault` for an invalid name, `JournalError`.
  @discardableResult
  package func importSession(
    _ content: Data,
    from path: String,
    as name: String? = nil
  ) async throws -> String {
    let file = try SessionReader(path, content)
    let session = try name.map(SessionName.checked) ?? file.sessionName()
    do {
      try await database.writeWithoutTransaction { db in
        try db.inTransaction {
          // Compared here, because SQLite takes two spellings of one name for two names.
          let known = "SELECT name FROM conversation WHERE name IS NOT NULL"
          guard try !String.fetchAll(db, sql: known).contains(session) else {
            throw SessionError.nameTaken(session)
          }
          try file.append(as: session, db)
          return .commit
        }
      }
    } catch {
      throw JournalError(error, path: self.path) ?? error
    }
    return session
  }
}

/// Reads the content of an exported file line by line.
private struct SessionReader {
  private let header: SessionFile.Header
  private let path: String
  private let facts: [Fact]

  /// Checks that the file is complete and unchanged, and that every fact in it can be read.
  init(_ path: String, _ content: Data) throws {
    self.path = path
    func damaged(_ reason: String) -> SessionError { .damaged(path, reason: reason) }
    let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let decoder = JSONDecoder()
    guard let first = lines.first,
      let header = try? decoder.decode(SessionFile.Header.self, from: first),
      header.format == SessionFile.format
    else { throw damaged("its first line is not that of a session") }
    guard header.version <= SessionFile.version else { throw SessionError.newer(path) }
    // Nothing follows the last line end.
    guard lines.count >= 3, lines.last?.isEmpty == true, let last = lines.dropLast().last,
      let footer = try? decoder.decode(SessionFile.Footer.self, from: last)
    else { throw damaged("its end is missing") }
    guard footer.checksum == SessionFile.checksum(content[..<last.startIndex]),
      footer.rows == lines.count - 3
    else { throw damaged("its content has been changed") }
    self.header = header
    facts = try lines[1..<(lines.count - 2)].enumerated().map { index, line in
      do {
        return try decoder.decode(FactRow.self, from: line).fact()
      } catch {
        let problem = (error as? UnreadableFact)?.problem ?? UnreadableFact.words(for: error)
        throw damaged("line \(index + 2) is not a fact: \(problem)")
      }
    }
  }

  /// Returns the original name of the session, if it is valid here.
  func sessionName() throws(SessionError) -> String {
    do throws(SessionName.Fault) {
      return try SessionName.checked(header.session)
    } catch {
      throw .unusableName(path, error)
    }
  }

  /// Appends the session to a journal.
  /// - Throws: `SessionError.damaged` if its facts do not make a session; `DatabaseError` if the
  ///   journal cannot be written.
  func append(as session: String, _ db: Database) throws {
    var numbers = try Renumbering(appendingTo: db)
    var (histories, open, marked) = (HistoryCheck(), [Fact](), Set<Int64>())
    for (index, original) in facts.enumerated() {
      do {
        let fact = try numbers.renumbered(adopted(original, isFirst: index == 0, as: session))
        try Projection.apply(fact, db)
        try FactRow(fact).insert(db)
        histories.take(fact)
        switch fact.event {
        case .prompted: open.append(fact)
        case .ended: open.removeAll { $0.turn == fact.turn }
        default: break
        }
        // Only as the last fact of its turn does a mark cover all that was approved.
        guard let turn = fact.turn else { continue }
        if fact.event == .imported { marked.insert(turn) } else { marked.remove(turn) }
      } catch let error as DatabaseError where error.resultCode != .SQLITE_CONSTRAINT {
        // That is the disk's fault, and not that of the file.
        throw error
      } catch let error as SessionError {
        throw error
      } catch {
        let reason = (error as? DatabaseError)?.message ?? UnreadableFact.words(for: error)
        throw damaged("line \(index + 2) does not fit those before it: \(reason)")
      }
    }
    if let misfit = histories.misfits().first { throw damaged(misfit.problem) }
    // Whatever the file says of it: it may come from anywhere.
    for prompt in open where prompt.turn.map(marked.contains) == false {
      var mark = prompt
      (mark.id, mark.at, mark.event) = (
        try Journal.lastNumber(in: "fact", db) + 1, .journaled, .imported
      )
      try Projection.apply(mark, db)
      try FactRow(mark).insert(db)
    }
  }

  /// Returns a fact as it may be here.
  private func adopted(_ fact: Fact, isFirst: Bool, as session: String) throws -> Fact {
    var fact = fact
    switch fact.event {
    case .began(var start):
      guard isFirst == (start.parent == nil) else { throw damaged("it is not one session") }
      guard start.parent != nil || start.name == header.session else {
        throw damaged("its first line names a different session than it contains")
      }
      if isFirst { start.name = session }
      start.isTemporary = nil
      fact.event = .began(start)
    case .prompted(let entry, let caps, let options, _):
      // A request joins the turn that it asked for, and not a copy.
      fact.event = .prompted(entry, caps: caps, options: options)
    case .launched(var start):
      // The logs stayed where it comes from, and here their paths could name any file.
      start.log = ""
      fact.event = .launched(start)
    default: break
    }
    return fact
  }

  private func damaged(_ reason: String) -> SessionError { .damaged(path, reason: reason) }
}
