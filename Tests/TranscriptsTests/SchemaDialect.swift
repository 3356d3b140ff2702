import Foundation
import Transcripts

/// A base for tests of the encoded form of schemas.
protocol SchemaDialect {}

extension SchemaDialect {
  func json(_ schema: GenerationSchema) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(schema), as: UTF8.self)
  }

  func read(_ json: String) throws -> GenerationSchema {
    try JSONDecoder().decode(GenerationSchema.self, from: Data(json.utf8))
  }
}
