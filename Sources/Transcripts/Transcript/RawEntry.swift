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

  private init(_ entry: Transcript.Entry, json: String) {
    (self.entry, self.json) = (entry, json)
  }

  /// Encodes an entry.
  ///
  /// - Throws: The errors of its encoding.
  package init(_ entry: Transcript.Entry) throws {
    self.entry = entry
    json = try JSONCoder.text(of: entry)
  }

  /// Reads an entry.
  ///
  /// - Throws: The errors of its decoding.
  package init(json: String) throws {
    entry = try JSONCoder.decode(from: Array(json.utf8))
    self.json = json
  }
}

extension RawEntry: Codable {
  /// Reads the entry and its bytes, which are part of JSON that was read once; other coders have
  /// them as a string, so that they stay as they are.
  package init(from decoder: any Decoder) throws {
    if let decoder = decoder as? JSONDocumentDecoder {
      self.init(try Transcript.Entry(from: decoder), json: try decoder.json())
    } else {
      try self.init(json: decoder.singleValueContainer().decode(String.self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? JSONNodeEncoder {
      encoder.node = .json(json)
    } else {
      var container = encoder.singleValueContainer()
      try container.encode(json)
    }
  }
}
