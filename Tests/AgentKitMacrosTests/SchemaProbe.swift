import AgentKit
import Foundation

/// The part of a schema's JSON form that the macros decide.
struct SchemaProbe: Decodable {
  var title: String?
  var description: String?
  var order: [String]?
  var required: [String]?
  var properties: [String: SchemaProbe]?
  var choices: [String]?
  var types: [SchemaProbe]?
  var pattern: String?
  var minimum: Double?
  var maximum: Double?
  var maximumCount: Int?

  enum CodingKeys: String, CodingKey {
    case title, description, required, properties, pattern, minimum, maximum
    case order = "x-order"
    case choices = "enum"
    case types = "anyOf"
    case maximumCount = "maxItems"
  }

  init(_ type: (some Generable).Type) throws {
    let json = try JSONEncoder().encode(type.generationSchema)
    self = try JSONDecoder().decode(Self.self, from: json)
  }
}

extension GeneratedContent {
  /// The keys of an object in their order.
  var keys: [String] {
    guard case .structure(_, let keys) = kind else { return [] }
    return keys
  }
}
