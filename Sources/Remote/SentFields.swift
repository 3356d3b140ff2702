import AgentKit

/// The fields of a JSON object as a server sent it, read one at a time.
///
/// A field of another type than expected is left out and noted, because one odd field must not cost
/// the whole answer.
struct SentFields {
  /// The names of the fields that were left out of one chunk.
  final class Omissions {
    private(set) var names: [String] = []

    func note(_ name: String) { names.append(name) }
  }

  private let properties: [String: GeneratedContent]
  private let keys: [String]
  private let omissions: Omissions

  /// Creates the fields of an object; `nil` for any other JSON value.
  init?(_ content: GeneratedContent, noting omissions: Omissions = Omissions()) {
    guard case .structure(let properties, let keys) = content.kind else { return nil }
    (self.properties, self.keys, self.omissions) = (properties, keys, omissions)
  }

  /// The value of a field; `nil` if it is missing or `null`.
  subscript(name: String) -> GeneratedContent? {
    guard let value = properties[name], value.kind != .null else { return nil }
    return value
  }

  /// Returns a field's value as `read` understands it; what it does not understand is left out.
  func read<Value>(_ name: String, _ read: (GeneratedContent) -> Value?) -> Value? {
    guard let content = self[name] else { return nil }
    let value = read(content)
    if value == nil { omissions.note(name) }
    return value
  }

  func text(_ name: String) -> String? { read(name, \.text) }

  func whole(_ name: String) -> Int? { read(name, \.integer) }

  func object(_ name: String) -> SentFields? {
    read(name) { SentFields($0, noting: omissions) }
  }

  /// Returns the objects of a list; a single object counts as a list of one.
  func objects(_ name: String) -> [SentFields] {
    guard let content = self[name] else { return [] }
    guard case .array(let elements) = content.kind else { return object(name).map { [$0] } ?? [] }
    return elements.compactMap { element in
      let fields = SentFields(element, noting: omissions)
      if fields == nil, element.kind != .null { omissions.note(name) }
      return fields
    }
  }

  /// Returns the fields under other names, in their order, without empty ones.
  func others(than known: Set<String>) -> OpaqueFields {
    OpaqueFields(
      keys.filter { !known.contains($0) }.compactMap { key in
        self[key].flatMap { $0.isEmpty ? nil : (key, $0) }
      }
    )
  }
}

extension GeneratedContent {
  fileprivate var isEmpty: Bool {
    switch kind {
    case .null: true
    case .string(let text): text.isEmpty
    case .array(let elements): elements.isEmpty
    case .structure(let properties, _): properties.isEmpty
    case .bool, .number: false
    }
  }
}
