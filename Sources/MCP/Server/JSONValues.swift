package import Transcripts

// Short forms with which results and schemas are written.

extension GeneratedContent {
  /// Creates an object of the members that have a value, in this order.
  package static func members(_ members: [(String, GeneratedContent?)]) -> GeneratedContent {
    .object(members.compactMap { name, value in value.map { (name, $0) } })
  }

  package static func list(_ elements: [GeneratedContent]) -> GeneratedContent {
    GeneratedContent(kind: .array(elements))
  }

  /// Returns the object with further members at its end.
  func adding(_ added: [(String, GeneratedContent)]) -> GeneratedContent {
    .object((members ?? []).map { ($0.name, $0.value) } + added)
  }
}

extension String {
  package var json: GeneratedContent { GeneratedContent(kind: .string(self)) }
}

extension Bool {
  package var json: GeneratedContent { GeneratedContent(kind: .bool(self)) }
}

extension BinaryInteger {
  package var json: GeneratedContent { GeneratedContent(number: JSONNumber(self)) }
}
