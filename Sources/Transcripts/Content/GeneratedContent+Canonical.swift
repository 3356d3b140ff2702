extension GeneratedContent {
  /// The content as JSON, independent of the order of keys and of how numbers are written.
  package var canonicalJSON: String { canonical.jsonString }

  private var canonical: GeneratedContent {
    switch kind {
    case .null, .bool, .string: self
    case .number: number.map { GeneratedContent(number: $0.canonical) } ?? self
    case .array(let elements): GeneratedContent(kind: .array(elements.map(\.canonical)))
    case .structure(let properties, let keys):
      GeneratedContent(
        kind: .structure(properties: properties.mapValues(\.canonical), orderedKeys: keys.sorted())
      )
    }
  }
}
