/// What became of a history when it was written to: which entries stayed, and what is new among
/// them.
///
/// Entries are named by their places and not by their identities, which models give to calls and
/// may give twice.
package struct HistoryEdit: Sendable, Equatable, Codable {
  package enum Piece: Sendable, Equatable, Codable {
    /// So many entries of the history before, from a place on.
    case kept(from: Int, count: Int)
    case added(Transcript.Entry)
  }

  /// How many entries the history had before.
  package let count: Int
  package let pieces: [Piece]

  /// Finds out what became of a history; `nil` when nothing did.
  package init?(from old: [Transcript.Entry], to new: [Transcript.Entry]) {
    guard old != new else { return nil }
    count = old.count
    // An entry that is there more than once stands for its places one after the other.
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

  /// The history after the edit.
  /// - Throws: `Misfit` when it is not the one that was edited.
  package func applied(to old: [Transcript.Entry]) throws(Misfit) -> [Transcript.Entry] {
    guard old.count == count else { throw Misfit(expected: count, found: old.count) }
    var new: [Transcript.Entry] = []
    for piece in pieces {
      switch piece {
      case .added(let entry): new.append(entry)
      case .kept(let start, let length):
        guard start >= 0, length >= 0, start <= count - length else {
          // The numbers may be anybody's, and their sum more than there is.
          let (end, isTooMuch) = start.addingReportingOverflow(length)
          throw Misfit(expected: count, found: isTooMuch ? .max : end)
        }
        new += old[start..<start + length]
      }
    }
    return new
  }

  /// How many entries both histories begin with.
  package var unchangedCount: Int {
    if case .kept(from: 0, let count)? = pieces.first { count } else { 0 }
  }

  /// How many entries of the history before are not in the one after.
  package var removedCount: Int {
    count
      - pieces.reduce(0) { sum, piece in
        if case .kept(_, let count) = piece { sum + count } else { sum }
      }
  }

  /// The entries that were not in the history before.
  package var added: [Transcript.Entry] {
    pieces.compactMap { if case .added(let entry) = $0 { entry } else { nil } }
  }

  /// An edit of another history.
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
