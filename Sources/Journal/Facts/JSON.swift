import Transcripts

/// The encoding of values in the journal.
enum JSON {
  static func encode(_ value: some Encodable) throws -> String { try JSONCoder.text(of: value) }

  static func decode<Value: Decodable>(_ text: String) throws -> Value {
    try JSONCoder.decode(from: Array(text.utf8))
  }
}
