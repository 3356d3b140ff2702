import Transcripts

/// A session as lines of JSON, in a portable file.
///
/// - The first line is the ``Header``.
/// - Every further line is a ``FactRow``: one fact of the session's log, in order. Conversations,
///   turns and facts are numbered from 1 and refer to one another by these numbers, always to
///   earlier ones. What happened is a string of JSON, exactly as it was written.
/// - The last line is the ``Footer``.
enum SessionFile {
  static let format = "orchestrator session log"
  static let version = 1

  struct Header: Codable, Equatable {
    var format = SessionFile.format
    var version = SessionFile.version
    var session: String
  }

  struct Footer: Codable, Equatable {
    /// How many lines lie between the first one and this one.
    var rows: Int
    /// FNV-1a, 64 bits in hexadecimal digits, of all bytes before this line.
    ///
    /// It detects truncation and accidental changes, but offers no protection against intent.
    var checksum: String
  }

  static func checksum(_ bytes: some Sequence<UInt8>) -> String { String(bytes.fnv1a, radix: 16) }
}
