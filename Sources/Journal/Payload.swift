import AgentKit
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

  static func decode<Value: Decodable>(_ text: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(text.utf8))
  }
}

/// An entry and what its request took, with their texts.
struct EntryPayload {
  let entry: Transcript.Entry
  let request: RequestRecord?
  let text: String
  let requestText: String?

  init(_ entry: Transcript.Entry, _ request: RequestRecord? = nil) throws {
    (self.entry, self.request) = (entry, request)
    text = try Payload.encode(entry)
    requestText = try request.map(Payload.encode)
  }
}
