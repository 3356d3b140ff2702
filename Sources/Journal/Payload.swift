import Foundation
package import Transcripts

/// The encoding of values in the journal: JSON with sorted keys.
enum Payload {
  /// A shared encoder: creating one takes nearly as long as encoding a short value.
  private static let encoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()

  static func encode(_ value: some Encodable) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  static func encode(_ value: some Codable & Spelled) throws -> String {
    String(decoding: try value.json(), as: UTF8.self)
  }

  static func decode<Value: Codable & Spelled>(_ text: String) throws -> Value {
    try Value(json: Array(text.utf8))
  }

  static func decode<Value: Decodable>(_ text: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(text.utf8))
  }
}

/// An entry and the usage of its request, encoded for the journal.
///
/// Encoded in advance, because the journal serves nobody else while it writes.
package struct EntryPayload: Sendable {
  package let entry: Transcript.Entry
  let request: RequestRecord?
  let text: String
  let requestText: String?

  /// The size of the entry in bytes.
  package var size: Int { text.utf8.count }

  package init(_ entry: Transcript.Entry, _ request: RequestRecord? = nil) throws {
    (self.entry, self.request) = (entry, request)
    text = try Payload.encode(entry)
    requestText = try request.map(Payload.encode)
  }
}
