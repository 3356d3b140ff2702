import Foundation
import GRDB
import Transcripts

/// Why the journal cannot be used.
package enum JournalError: Error, Sendable, Equatable {
  /// A newer version of orchestrator wrote it.
  case newer(path: String)
  /// A build wrote it that kept the journal in another form, which this one does not read.
  case older(path: String)
  /// The disk is full.
  case full(path: String)
  /// It cannot be opened or written.
  case unwritable(path: String, reason: String)
  /// One of its values is not as it was written.
  case unreadable(path: String, reason: String)
  /// It is not a journal, or is damaged.
  case damaged(path: String, reason: String)

  /// Interprets an error; `nil` for one that does not come from the file.
  init?(_ error: any Error, path: String) {
    switch error {
    case let error as JournalError: self = error
    case let error as DatabaseError: self.init(error, path: path)
    case is UnreadableFact, is RowDecodingError, is DecodingError, is InvalidValue:
      self = .unreadable(path: path, reason: UnreadableFact.words(for: error))
    default: return nil
    }
  }

  init(_ error: DatabaseError, path: String) {
    let reason = error.message ?? "\(error.resultCode)"
    switch error.resultCode {
    case .SQLITE_FULL: self = .full(path: path)
    // What SQLite reports when it cannot even create its auxiliary files.
    case .SQLITE_IOERR where Self.isWithoutRoom(path),
      .SQLITE_CANTOPEN where Self.isWithoutRoom(path):
      self = .full(path: path)
    case .SQLITE_NOTADB, .SQLITE_CORRUPT: self = .damaged(path: path, reason: reason)
    default: self = .unwritable(path: path, reason: reason)
    }
  }
}

extension JournalError {
  /// Whether the disk has less room than SQLite needs for one page of its auxiliary files.
  private static func isWithoutRoom(_ path: String) -> Bool {
    var facts = statvfs()
    let folder = URL(filePath: path).deletingLastPathComponent().path
    guard statvfs(folder, &facts) == 0 else { return false }
    return Int(facts.f_bavail) * Int(facts.f_frsize) < 32 << 10
  }
}

extension DatabaseError {
  /// Whether more room could help; to SQLite an exhausted quota is not a full disk.
  func tellsOfRoom(at path: String) -> Bool {
    extendedResultCode == .SQLITE_IOERR_WRITE || JournalError(self, path: path) == .full(path: path)
  }
}

extension JournalError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .newer(let path):
      "The journal \(path) was written by a newer orchestrator. Use that version, or set"
        + " ORCHESTRATOR_HOME to another folder."
    case .older(let path):
      "The journal \(path) was written by an older build, in a form that this build does not read."
        + " Its sessions can be read only with that build; files that it exports cannot be imported"
        + " here either. Keep the journal and the files next to it for that build by moving them"
        + " away, so that a new journal begins, or set ORCHESTRATOR_HOME to another folder."
    case .full(let path):
      "The disk is full: the journal \(path) cannot be written, or even read. Free up space and try"
        + " again."
    case .unwritable(let path, let reason):
      "The journal \(path) cannot be opened or written: \(reason). Check that its disk works and"
        + " has space and that its folder is yours, or set ORCHESTRATOR_HOME to another folder."
    case .unreadable(let path, let reason):
      "Part of the journal \(path) cannot be read: \(reason). Run 'orchestrator sessions verify' to"
        + " see which session is affected; the others are intact."
    case .damaged(let path, let reason):
      "The file \(path) is not a journal, or is damaged: \(reason). Nothing in it was changed."
        + " Restore a copy of it, or move it and the files next to it away to start a new one."
    }
  }
}
