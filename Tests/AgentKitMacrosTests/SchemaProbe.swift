import AgentKit

/// The part of a schema's JSON form that the macros determine.
struct SchemaProbe {
  let title: String?
  let content: GeneratedContent

  init(_ type: (some Generable).Type) {
    title = type.generationSchema.name
    content = type.generationSchema.jsonSchema
  }

  private init(_ content: GeneratedContent) {
    title = nil
    self.content = content
  }

  var description: String? { read("description") }
  var required: [String]? { read("required") }
  var choices: [String]? { read("enum") }
  var constant: String? { read("const") }
  var pattern: String? { read("pattern") }
  var minimum: Double? { read("minimum") }
  var maximum: Double? { read("maximum") }
  var minimumCount: Int? { read("minItems") }
  var maximumCount: Int? { read("maxItems") }
  var reference: String? { read("$ref") }
  var items: SchemaProbe? { value("items").map(SchemaProbe.init) }

  /// The names of the properties, in order.
  var order: [String]? { value("properties")?.keys }
  var properties: [String: SchemaProbe]? { value("properties").flatMap(Self.named) }
  /// The names of the definitions, in order.
  var definitionOrder: [String]? { value("$defs")?.keys }
  var definitions: [String: SchemaProbe]? { value("$defs").flatMap(Self.named) }

  var types: [SchemaProbe]? {
    guard case .array(let types) = value("anyOf")?.kind else { return nil }
    return types.map(SchemaProbe.init)
  }

  private func value(_ key: String) -> GeneratedContent? { read(key) }

  private func read<Value: ConvertibleFromGeneratedContent>(_ key: String) -> Value? {
    try? content.value(Value.self, forProperty: key)
  }

  private static func named(_ content: GeneratedContent) -> [String: SchemaProbe]? {
    guard case .structure(let values, _) = content.kind else { return nil }
    return values.mapValues(SchemaProbe.init)
  }
}

extension GeneratedContent {
  /// The keys of an object, in order.
  var keys: [String] {
    guard case .structure(_, let keys) = kind else { return [] }
    return keys
  }
}
