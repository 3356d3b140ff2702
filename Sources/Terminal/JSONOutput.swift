import Foundation

/// JSON for other programs, with sorted keys and ISO 8601 dates.
///
/// A person may look at it too, so nothing in it controls a terminal.
package enum JSONOutput {
  package static func line(_ value: some Encodable) throws -> String {
    try text(value, formatting: [.sortedKeys, .withoutEscapingSlashes])
  }

  package static func document(_ value: some Encodable) throws -> String {
    try text(value, formatting: [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted])
  }

  private static func text(
    _ value: some Encodable,
    formatting: JSONEncoder.OutputFormatting
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = formatting
    encoder.dateEncodingStrategy = .iso8601
    return String(decoding: try encoder.encode(value), as: UTF8.self).jsonForTerminal
  }
}
