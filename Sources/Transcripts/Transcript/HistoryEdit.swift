/// An edit of a history: which entries were kept, and which were added.
///
/// Entries are identified by position rather than by identity, because models assign the identities
/// of calls and may assign one twice.
package struct HistoryEdit: Sendable, Equatable, Codable {
  package enum Piece: Sendable, Equatable, Codable {
    /// A number of entries of the previous history, starting at an index.
    case kept(from: Int, count: Int)
    case added(Transcript.Entry)
  }

  /// The number of entries in the previous history.
  package let count: Int
  package let pieces: [Piece]

  /// Finds the difference between two histories; `nil` if there is none.
  package init?(from old: [Transcript.Entry], to new: [Transcript.Entry]) {
    guard old != new else { return nil }
    count = old.count
    // An entry that occurs more than once stands for its positions in order.
    var places: [String: [Int]] = [:]
    for place in old.indices.reversed() { places[old[place].id, default: []].append(place) }
    pieces = new.reduce(into: []) { pieces, entry in
      guard let index = places[entry.id]?.lastIndex(where: { old[$0] == entry }),
        let place = places[entry.id]?.remove(at: index)
      else {
        pieces.append(.added(entry))
        return
      }
      if case .kept(let start, let count)? = pieces.last, start + count == place {
        pieces[pieces.endIndex - 1] = .kept(from: start, count: count + 1)
      } else {
        pieces.append(.kept(from: place, count: 1))
      }
    }
  }

  /// Returns the history after the edit, in which what was kept is as it was.
  ///
  /// - Parameter old: The history to edit.
  /// - Throws: `Misfit` if it is not the history that was edited; the errors of encoding an entry.
  package func applied(to old: ChunkedArray<RawEntry>) throws -> ChunkedArray<RawEntry> {
    try check(old.count)
    return try pieces.reduce(into: []) { new, piece in
      switch piece {
      case .added(let entry): new.append(try RawEntry(entry))
      case .kept(let start, let length): new += old[start..<start + length]
      }
    }
  }

  /// Returns the number of entries after the edit.
  ///
  /// - Parameter found: The number of entries of the history to edit.
  /// - Throws: `Misfit` if it is not the history that was edited.
  @discardableResult
  package func check(_ found: Int) throws(Misfit) -> Int {
    guard found == count else { throw Misfit(expected: count, found: found) }
    var new = 0
    for piece in pieces {
      switch piece {
      case .added: new += 1
      case .kept(let start, let length):
        guard start >= 0, length >= 0, start <= count - length else {
          // The numbers may come from anywhere, and their sum may exceed what exists.
          let (end, isTooMuch) = start.addingReportingOverflow(length)
          throw Misfit(expected: count, found: isTooMuch ? .max : end)
        }
        new += length
      }
    }
    return new
  }

  /// The number of entries at the start of both histories that are the same.
  package var unchangedCount: Int {
    if case .kept(from: 0, let count)? = pieces.first { count } else { 0 }
  }

  /// The number of entries of the previous history that were removed.
  package var removedCount: Int {
    count
      - pieces.reduce(0) { sum, piece in
        if case .kept(_, let count) = piece { sum + count } else { sum }
      }
  }

  /// The entries that were not in the previous history.
  package var added: [Transcript.Entry] {
    pieces.compactMap { if case .added(let entry) = $0 { entry } else { nil } }
  }

  /// An error that says that an edit belongs to another history.
  package struct Misfit: Error, Equatable, CustomStringConvertible {
    package let expected: Int
    package let found: Int

    package init(expected: Int, found: Int) {
      self.expected = expected
      self.found = found
    }

    package var description: String {
      "An edit of a history of \(expected) entries does not fit one of \(found) entries."
    }
  }
}
