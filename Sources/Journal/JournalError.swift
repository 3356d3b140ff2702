import Foundation
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
  /// One of its values is not as it was written.
  case unreadable(path: String, reason: String)
  /// It is no journal, or is damaged.
  case damaged(path: String, reason: String)

  /// - Returns: `nil` for an error that does not come from the file.
  init?(_ error: any Error, path: String) {
    switch error {
    case let error as JournalError: self = error
    case let error as DatabaseError: self.init(error, path: path)
    case is RowDecodingError, is DecodingError, is ImplausibleValue:
      self = .unreadable(path: path, reason: "\(UnreadableValue(error))")
    default: return nil
    }
  }

  init(_ error: DatabaseError, path: String) {
    let reason = error.message ?? "\(error.resultCode)"
    switch error.resultCode {
    case .SQLITE_FULL: self = .full(path: path)
    // What SQLite says where it cannot even make the files that it reads with.
    case .SQLITE_IOERR where Self.isWithoutRoom(path),
      .SQLITE_CANTOPEN where Self.isWithoutRoom(path):
      self = .full(path: path)
    case .SQLITE_NOTADB, .SQLITE_CORRUPT: self = .damaged(path: path, reason: reason)
    default: self = .unwritable(path: path, reason: reason)
    }
  }
}

extension JournalError {
  /// Whether less is left on a file's disk than SQLite takes for one page of what it reads with.
  private static func isWithoutRoom(_ path: String) -> Bool {
    var facts = statvfs()
    let folder = URL(filePath: path).deletingLastPathComponent().path
    guard statvfs(folder, &facts) == 0 else { return false }
    return Int(facts.f_bavail) * Int(facts.f_frsize) < 32 << 10
  }
}

extension DatabaseError {
  /// Whether more room could mend it: a quota that is used up is no full disk to SQLite.
  func tellsOfRoom(at path: String) -> Bool {
    extendedResultCode == .SQLITE_IOERR_WRITE || JournalError(self, path: path) == .full(path: path)
  }
}

extension JournalError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .newer(let path):
      "The journal \(path) was written by a newer orchestrator. Use that one, or set"
        + " ORCHESTRATOR_HOME to another folder."
    case .older(let path):
      "The journal \(path) was written by an older orchestrator. 'orchestrator start' or 'ask' brings"
        + " it up to date."
    case .full(let path):
      "The disk is full, and the journal \(path) cannot be written, or even read. Make room and try"
        + " again."
    case .unwritable(let path, let reason):
      "The journal \(path) cannot be opened or written: \(reason). Its disk must work and have room,"
        + " and its folder be this user's; ORCHESTRATOR_HOME names another folder."
    case .unreadable(let path, let reason):
      "Something in the journal \(path) cannot be read: \(reason). 'orchestrator sessions verify' says"
        + " what, and of which session; the others are as they were."
    case .damaged(let path, let reason):
      "The file \(path) is no journal, or is damaged: \(reason). Nothing was changed in it. Put a copy"
        + " of it back, or move it away, with what lies beside it, to begin a new one."
    }
  }
}
