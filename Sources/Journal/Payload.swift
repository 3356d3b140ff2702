package import AgentKit
import Foundation

/// How values stand in the journal: JSON with sorted keys.
enum Payload {
  /// One for all values: to make one takes nearly as long as to encode a short value.
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

/// An entry and what its request took, as they will stand in the journal.
///
/// Made before they are written: while the journal writes, it serves nobody else.
package struct EntryPayload: Sendable {
  let entry: Transcript.Entry
  let request: RequestRecord?
  let text: String
  let requestText: String?

  /// How large the entry is, in bytes.
  package var size: Int { text.utf8.count }

  package init(_ entry: Transcript.Entry, _ request: RequestRecord? = nil) throws {
    (self.entry, self.request) = (entry, request)
    text = try Payload.encode(entry)
    requestText = try request.map(Payload.encode)
  }
}
