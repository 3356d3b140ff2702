/// Why a session cannot be moved or removed.
package enum SessionError: Error, Sendable, Equatable {
  case unknown(String)
  /// No session was begun by this program.
  case noneOf(origin: String)
  case unknownTurn(String, turn: Int64)
  /// A turn that goes on, or whose coordinator ended, keeps the session from being copied or deleted.
  case isUnderWay(String)
  /// The session's journaled content is not as it was written.
  case flawed(String, JournalFlaw)
  /// The journal is damaged, or holds something that refers to the session from outside of it.
  case flawedJournal(JournalFlaw)
  /// A session with this name already exists.
  case nameTaken(String)
  /// The name of the session in the file is not a valid session name.
  case unusableName(String, SessionName.Fault)
  /// The file already exists, and existing files are never overwritten.
  case fileExists(String)
  case unwritable(String, reason: String)
  /// The file was not exported, or is not as it was written.
  case damaged(String, reason: String)
  /// A newer version of orchestrator wrote the file.
  case newer(String)
}

extension SessionError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknown(let name): "There is no session named '\(name)'."
    case .noneOf(let origin):
      "No session was begun by '\(origin)'. 'orchestrator sessions' shows what began each."
    case .unknownTurn(let name, let turn): "The session '\(name)' has no turn \(turn)."
    case .isUnderWay(let name):
      "A turn of the session '\(name)' is under way. Wait for its end, or cancel it."
    case .flawed(let name, let flaw):
      "The session '\(name)' cannot be exported: \(flaw). Run 'orchestrator sessions verify' for"
        + " everything that is wrong."
    case .flawedJournal(let flaw) where flaw.isOfStorage:
      "Nothing was deleted, because the journal is damaged: \(flaw). Restore a copy of it, or move it"
        + " and the files beside it away, so that a new one begins."
    case .flawedJournal(let flaw):
      "Nothing was deleted, because the rest of the journal would not be whole: \(flaw)."
        + " Run 'orchestrator sessions verify' for everything that is wrong. To delete the session"
        + " all the same, export the sessions that you want to keep and that have no flaw, move the"
        + " journal away, and import them into a new one."
    case .nameTaken(let name):
      "There is already a session named '\(name)'; nothing was changed. Import it under another name"
        + " with --as NAME."
    case .unusableName(let path, let fault):
      "\(fault.problem) Nothing was imported from \(path). Import it under another name with --as NAME."
    case .fileExists(let path): "The file \(path) already exists; nothing was changed."
    case .unwritable(let path, let reason): "The file \(path) cannot be written: \(reason)."
    case .damaged(let path, let reason):
      "The file \(path) is not an exported session, or is damaged: \(reason). Nothing was imported."
    case .newer(let path):
      "The file \(path) was written by a newer orchestrator. Nothing was imported."
    }
  }
}
