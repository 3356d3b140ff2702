import Foundation
import GRDB

/// A session as lines of JSON, in a portable file.
///
/// - The first line is the ``Header``.
/// - Every further line is a ``Row``: one row of the journal, with the name of its table and its
///   columns by name. Tables and rows come in the order in which they were created. Rows are
///   numbered from 1 in each table, and refer to one another by these numbers. What the journal
///   keeps as JSON, such as an entry's payload, is a string here, exactly as it was written.
/// - The last line is the ``Footer``.
enum SessionFile {
  static let format = "orchestrator session"
  static let version = 1

  struct Header: Codable, Equatable {
    var format = SessionFile.format
    var version = SessionFile.version
    var session: String
    /// The migrations that produced the schema of the tables.
    var schema: [String]
  }

  struct Row: Codable, Equatable {
    var table: String
    var row: [String: Value]
  }

  struct Footer: Codable, Equatable {
    /// How many lines lie between the first one and this one.
    var rows: Int
    /// FNV-1a, 64 bits in hexadecimal digits, of all bytes before this line.
    ///
    /// It detects truncation and accidental changes, but offers no protection against intent.
    var checksum: String
  }

  /// A value of a column.
  enum Value: Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
  }

  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }

  static func digits(of checksum: UInt64) -> String { String(checksum, radix: 16) }
}

extension SessionFile.Value: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let number = try? container.decode(Int64.self) {
      self = .integer(number)
    } else if let number = try? container.decode(Double.self) {
      self = .real(number)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .integer(let number): try container.encode(number)
    case .real(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    }
  }
}

extension SessionFile.Value: DatabaseValueConvertible {
  var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let number): number.databaseValue
    case .real(let number): number.databaseValue
    case .text(let text): text.databaseValue
    }
  }

  static func fromDatabaseValue(_ value: DatabaseValue) -> SessionFile.Value? {
    switch value.storage {
    case .null: .null
    case .int64(let number): .integer(number)
    case .double(let number): .real(number)
    case .string(let text): .text(text)
    case .blob: nil
    }
  }
}

/// Why a session cannot be moved or removed.
package enum SessionError: Error, Sendable, Equatable {
  case unknown(String)
  /// The session's journaled content is not as it was written.
  case flawed(String, JournalFlaw)
  /// Removing the session would hide a flaw of the journal or make it worse.
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
    case .flawed(let name, let flaw):
      "The session '\(name)' cannot be exported: \(flaw). Run 'orchestrator sessions verify' for"
        + " everything that is wrong."
    case .flawedJournal(let flaw) where flaw.isOfStorage:
      "Nothing was deleted, because the journal is damaged: \(flaw). Restore a copy of it, or move it"
        + " and the files beside it away, so that a new one begins."
    case .flawedJournal(let flaw):
      "Nothing was deleted, because that would hide or worsen a flaw of the journal: \(flaw)."
        + " Run 'orchestrator sessions verify' for everything that is wrong. To be rid of the"
        + " session all the same, export those that you want to keep and that have no flaw, move the"
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
