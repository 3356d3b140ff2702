import GRDB

/// Why the journal cannot be used.
package enum JournalError: Error, Sendable, Equatable {
  /// A newer version of orchestrator has written it.
  case newer(path: String)
  /// An older version of orchestrator has written it; it can be read when it was opened for writing.
  case older(path: String)
  /// The disk is full.
  case full(path: String)
  /// It cannot be opened or written.
  case unwritable(path: String, reason: String)
  /// It is no journal, or is damaged.
  case damaged(path: String, reason: String)

  /// - Returns: `nil` for an error that does not come from the file.
  init?(_ error: any Error, path: String) {
    switch error {
    case let error as DatabaseError: self.init(error, path: path)
    case let error as RowDecodingError: self = .damaged(path: path, reason: "\(error)")
    case is DecodingError: self = .damaged(path: path, reason: "a value in it cannot be read")
    default: return nil
    }
  }

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
    case .older(let path):
      "The journal \(path) was written by an older orchestrator. 'orchestrator start' or 'ask' brings"
        + " it up to date."
    case .full(let path):
      "The disk is full, and the journal \(path) cannot be written. Make room and try again."
    case .unwritable(let path, let reason):
      "The journal \(path) cannot be opened or written: \(reason)."
    case .damaged(let path, let reason):
      "The file \(path) is no journal, or is damaged: \(reason). Nothing was changed in it. Put a copy"
        + " of it back, or move it away, with what lies beside it, to begin a new one."
    }
  }
}
