import PlatformLibraries

/// An entry together with its JSON.
///
/// The worker that makes an entry encodes it once. It travels and is stored as these bytes, so that
/// no process in between can change it.
package struct RawEntry: Sendable, Equatable {
  package let entry: Transcript.Entry
  /// The entry as JSON with sorted keys.
  package let json: String

  /// The size of the JSON in bytes.
  package var size: Int { json.utf8.count }
  package var id: String { entry.id }

  /// The shared encoder, because creating one takes nearly as long as encoding a short entry.
  private static let encoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()

  /// Encodes an entry.
  ///
  /// - Throws: The errors of its encoding.
  package init(_ entry: Transcript.Entry) throws {
    self.entry = entry
    json = String(decoding: try Self.encoder.encode(entry), as: UTF8.self)
  }

  /// Reads an entry.
  ///
  /// - Throws: The errors of its decoding.
  package init(json: String) throws {
    entry = try JSONDecoder().decode(Transcript.Entry.self, from: Data(json.utf8))
    self.json = json
  }
}

extension RawEntry: Codable {
  /// Reads the JSON as a string, so that its bytes stay as they are.
  package init(from decoder: any Decoder) throws {
    try self.init(json: decoder.singleValueContainer().decode(String.self))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(json)
  }
}
