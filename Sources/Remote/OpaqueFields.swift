import AgentKit

/// Fields of a message or of a call that mean something only to the server that sent them, such as
/// signatures of reasoning.
///
/// Servers want them back as they came, so they are kept with the entry as JSON text, whose order
/// and numbers no coder changes.
struct OpaqueFields {
  /// The metadata in which an entry or a call keeps its fields.
  static let key = "chatCompletions"
  /// The most bytes kept of one message or call, so that no server can fill a journal.
  private static let limit = 256 << 10
  /// The parts of a list's element that name it and are repeated with each of its pieces.
  private static let names: Set = ["type", "id", "format", "index", "name"]

  private var fields: [(name: String, value: GeneratedContent)] = []

  init(_ fields: [(String, GeneratedContent)] = []) {
    self.fields = fields.map { (name: $0.0, value: $0.1) }
  }

  var isEmpty: Bool { fields.isEmpty }
  var names: [String] { fields.map(\.name) }

  var content: GeneratedContent { .object(fields.map { ($0.name, $0.value) }) }

  /// Adds the fields of a later piece of the same message or call.
  mutating func merge(_ later: OpaqueFields) {
    for (name, value) in later.fields {
      if let place = fields.firstIndex(where: { $0.name == name }) {
        fields[place].value = Self.merged(fields[place].value, value)
      } else {
        fields.append((name, value))
      }
    }
  }

  /// The fields as JSON text; `nil` if there are none or they are too many to be kept.
  private var json: String? {
    let text = SplitPair.joined(content.jsonString)
    return isEmpty || text.utf8.count > Self.limit ? nil : text
  }

  // MARK: Pieces

  /// Joins two pieces of a value; texts are continued unless they are repeated.
  private static func merged(_ old: GeneratedContent, _ new: GeneratedContent) -> GeneratedContent {
    guard old != new else { return old }
    return switch (old.kind, new.kind) {
    case (_, .null): old
    case (.string(let beginning), .string(let rest)): (beginning + rest).generatedContent
    case (.array(let elements), .array(let more)): merged(elements, more)
    case (.structure, .structure): mergedObject(old, new, isPiece: false)
    default: new
    }
  }

  /// Joins two lists; elements with the same index are pieces of one.
  private static func merged(
    _ elements: [GeneratedContent],
    _ more: [GeneratedContent]
  ) -> GeneratedContent {
    func identity(of element: GeneratedContent) -> String? {
      guard let fields = SentFields(element), let index = fields["index"]?.integer else {
        return nil
      }
      return "\(index) \(fields["type"]?.jsonString ?? "")"
    }
    var elements = elements
    // Looked up, because a server decides how many there are.
    var places: [String: Int] = [:]
    for (place, element) in elements.enumerated() {
      if let identity = identity(of: element) { places[identity] = place }
    }
    for element in more {
      let identity = identity(of: element)
      if let identity, let place = places[identity] {
        elements[place] = mergedObject(elements[place], element, isPiece: true)
      } else {
        if let identity { places[identity] = elements.count }
        elements.append(element)
      }
    }
    return GeneratedContent(kind: .array(elements))
  }

  private static func mergedObject(
    _ old: GeneratedContent,
    _ new: GeneratedContent,
    isPiece: Bool
  ) -> GeneratedContent {
    guard case .structure(let before, let names) = old.kind,
      case .structure(let after, let more) = new.kind
    else { return new }
    let all = names + more.filter { before[$0] == nil }
    return .object(
      all.compactMap { name in
        guard let value = after[name] else { return before[name].map { (name, $0) } }
        guard let known = before[name], known.kind != .null else { return (name, value) }
        if isPiece, case .string(let beginning) = known.kind, case .string(let rest) = value.kind {
          // Pieces of a text may be alike, its names are.
          return (name, (Self.names.contains(name) ? rest : beginning + rest).generatedContent)
        }
        return (name, merged(known, value))
      }
    )
  }
}

// MARK: With an entry

extension OpaqueFields {
  /// Returns the metadata that keeps the fields of a message or of a call.
  ///
  /// - Parameters:
  ///   - message: The fields of the message.
  ///   - call: The fields of the call.
  ///   - origin: The model and server that sent them.
  static func metadata(
    message: OpaqueFields,
    call: OpaqueFields = OpaqueFields(),
    of origin: String
  ) -> [String: GeneratedContent] {
    let kept = [("message", message.json), ("call", call.json)].compactMap { name, json in
      json.map { (name, $0.generatedContent) }
    }
    guard !kept.isEmpty else { return [:] }
    return [key: .object([("origin", origin.generatedContent)] + kept)]
  }

  /// Restores what the metadata of an entry or of a call keeps, if it came from the given origin.
  private init(_ name: String, in metadata: [String: GeneratedContent], of origin: String) {
    guard let kept = metadata[Self.key].flatMap({ SentFields($0) }),
      kept["origin"]?.text == origin, let json = kept[name]?.text,
      let content = try? GeneratedContent(json: json),
      case .structure(let properties, let names) = content.kind
    else { return }
    fields = names.compactMap { name in properties[name].map { (name, $0) } }
  }

  /// Returns a message with the fields that came with it from the given origin.
  ///
  /// - Parameter names: The names of the fields that the server takes.
  static func restored(
    in message: ChatMessages.Message,
    of origin: String,
    taking names: Set<String>
  ) -> GeneratedContent {
    func added(_ name: String, _ metadata: [String: GeneratedContent], to content: GeneratedContent)
      -> GeneratedContent
    {
      let fields = OpaqueFields(name, in: metadata, of: origin).fields
        .filter { names.contains($0.name) }
      guard !fields.isEmpty else { return content }
      return mergedObject(content, OpaqueFields(fields.map { ($0, $1) }).content, isPiece: false)
    }
    switch message.entry {
    case .response(let response): return added("message", response.metadata, to: message.content)
    case .toolCalls(let calls):
      guard case .structure(var properties, let keys) = message.content.kind,
        case .array(let sent)? = properties["tool_calls"]?.kind
      else { return message.content }
      properties["tool_calls"] = GeneratedContent(
        kind: .array(zip(sent, calls).map { added("call", $1.metadata, to: $0) })
      )
      let content = GeneratedContent(kind: .structure(properties: properties, orderedKeys: keys))
      return added("message", calls.first?.metadata ?? [:], to: content)
    case .instructions, .prompt, .toolOutput, .reasoning: return message.content
    }
  }

  /// Returns the names of all fields in a transcript that came from the given origin.
  static func names(in transcript: Transcript, of origin: String) -> Set<String> {
    var names: Set<String> = []
    func note(_ metadata: [String: GeneratedContent]) {
      guard metadata[key] != nil else { return }
      for part in ["message", "call"] {
        names.formUnion(OpaqueFields(part, in: metadata, of: origin).names)
      }
    }
    for entry in transcript {
      switch entry {
      case .response(let response): note(response.metadata)
      case .toolCalls(let calls): for call in calls { note(call.metadata) }
      case .instructions, .prompt, .toolOutput, .reasoning: break
      }
    }
    return names
  }
}
