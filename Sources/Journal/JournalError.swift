import GRDB

/// Why the journal cannot be used.
package enum JournalError: Error, Sendable, Equatable {
  /// A newer version of orchestrator has written it.
  case newer(path: String)
  /// The disk is full.
  case full(path: String)
  /// It cannot be opened or written.
  case unwritable(path: String, reason: String)
  /// It is no journal, or is damaged.
  case damaged(path: String, reason: String)

  init(_ error: DatabaseError, path: String) {
    let reason = error.message ?? "\(error.resultCode)"
    switch error.resultCode {
    case .SQLITE_FULL: self = .full(path: path)
    case .SQLITE_NOTADB, .SQLITE_CORRUPT: self = .damaged(path: path, reason: reason)
    default: self = .unwritable(path: path, reason: reason)
    }
  }
}

extension JournalError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .newer(let path):
      "The journal \(path) was written by a newer orchestrator. Use that one, or another state"
        + " directory."
    case .full(let path):
      "The disk is full, and the journal \(path) cannot be written. Make room and try again."
    case .unwritable(let path, let reason):
      "The journal \(path) cannot be opened or written: \(reason)."
    case .damaged(let path, let reason):
      "The file \(path) is no journal, or is damaged: \(reason). Move it away to begin a new one."
    }
  }
}
