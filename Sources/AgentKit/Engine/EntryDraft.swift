import PlatformLibraries

/// An entry that a model is generating.
struct EntryDraft {
  enum Kind {
    case response, reasoning, toolCalls
  }

  struct Call {
    let id: String
    let name: String
    var arguments = ""
    var metadata: [String: GeneratedContent] = [:]
  }

  let id: String
  let kind: Kind
  private var segments: [Transcript.Segment] = []
  private(set) var calls: [Call] = []
  private var metadata: [String: GeneratedContent] = [:]
  private var signature: Data?

  init(id: String, kind: Kind) {
    self.id = id
    self.kind = kind
  }

  var text: String { texts.map(\.content).joined(separator: "\n") }

  private var texts: [Transcript.TextSegment] {
    segments.compactMap { if case .text(let segment) = $0 { segment } else { nil } }
  }

  /// Whether nothing was generated for the entry.
  var isEmpty: Bool {
    // The metadata of a round belongs to its calls.
    if kind == .toolCalls { return calls.isEmpty }
    return texts.allSatisfy(\.content.isEmpty) && !segments.hasAttachments && metadata.isEmpty
      && signature == nil
  }

  /// Whether nothing visible was generated for the entry.
  var isBlank: Bool {
    isEmpty
      || kind == .response && text.allSatisfy(\.isWhitespace) && !segments.hasAttachments
        && metadata.isEmpty
  }

  /// Takes a part of an answer or of reasoning, and returns how its text changed: how many bytes
  /// stay, and what follows them.
  mutating func take(
    _ part: LanguageModelExecutorGenerationChannel.Part
  ) -> (keptBytes: Int, added: String)? {
    switch part {
    case .append(let text) where isLastText(text.segmentID):
      let texts = texts
      // Texts are joined by line breaks.
      let kept = texts.reduce(texts.count - 1) { $0 + $1.content.utf8.count }
      edit(text.segmentID) { $0 += text.content }
      return (kept, text.content)
    case .append(let text): return change { $0.edit(text.segmentID) { $0 += text.content } }
    case .replace(let text): return change { $0.edit(text.segmentID) { $0 = text.content } }
    case .attach(let attachment): segments.append(.attachment(attachment))
    case .detach(let id):
      segments.removeAll { if case .attachment(let known) = $0 { known.id == id } else { false } }
    case .signature(let signature): self.signature = signature.signature
    case .metadata(let metadata): take(metadata)
    case .usage: break
    }
    return nil
  }

  /// Returns whether a segment exists that ends the text; without an identity, the last segment.
  private func isLastText(_ id: String?) -> Bool {
    if let id { return texts.last?.id == id }
    if case .text? = segments.last { return true }
    return false
  }

  /// Makes a change, and compares the text after it with the one before.
  private mutating func change(
    _ change: (inout EntryDraft) -> Void
  ) -> (keptBytes: Int, added: String) {
    let before = text
    change(&self)
    let after = text
    let common = zip(after.utf8, before.utf8).prefix { $0 == $1 }.count
    // A cut inside a character would add half of it: the index of a scalar is rounded down.
    let end = after.unicodeScalars[..<after.utf8.index(after.startIndex, offsetBy: common)].endIndex
    return (after.utf8.distance(from: after.startIndex, to: end), String(after[end...]))
  }

  /// Changes the text of a segment, creating it if necessary; without an identity, of the last
  /// segment.
  private mutating func edit(_ id: String?, _ change: (inout String) -> Void) {
    // An attachment may have the same identity as a text.
    let known =
      id.map { id in
        segments.firstIndex { if case .text(let text) = $0 { text.id == id } else { false } }
      } ?? segments.indices.last
    if let known, case .text(var segment) = segments[known] {
      change(&segment.content)
      segments[known] = .text(segment)
    } else {
      var segment = Transcript.TextSegment(id: id ?? newIdentity(), content: "")
      change(&segment.content)
      segments.append(.text(segment))
    }
  }

  mutating func take(_ call: LanguageModelExecutorGenerationChannel.ToolCalls.ToolCall) {
    let known = calls.firstIndex { $0.id == call.id }
    if known == nil { calls.append(Call(id: call.id, name: call.name)) }
    let index = known ?? calls.endIndex - 1
    switch call.action.content {
    case .arguments(let text): calls[index].arguments += text.content
    case .metadata(let metadata): calls[index].metadata = metadata.values
    }
  }

  mutating func remove(call id: String) {
    calls.removeAll { $0.id == id }
  }

  mutating func take(_ metadata: LanguageModelExecutorGenerationChannel.Metadata) {
    self.metadata = metadata.values
  }
}

// MARK: As an entry

extension EntryDraft {
  /// Returns the entry so far.
  ///
  /// - Parameter schema: The schema that an answer follows.
  func entry(schema: GenerationSchema?) -> Transcript.Entry {
    switch kind {
    case .response: .response(response(schema: schema))
    case .reasoning:
      .reasoning(
        .init(id: id, metadata: metadata, segments: segments, signature: signature)
      )
    case .toolCalls: .toolCalls(toolCalls)
    }
  }

  /// Returns the answer so far, structured as far as it can be read.
  private func response(schema: GenerationSchema?) -> Transcript.Response {
    guard let schema, let content = try? GeneratedContent(json: text) else {
      return .init(id: id, metadata: metadata, segments: segments)
    }
    let segment = Transcript.StructuredSegment(
      id: texts.first?.id ?? id,
      schemaName: schema.name,
      content: content
    )
    let others = segments.attachments.map(Transcript.Segment.attachment)
    return .init(id: id, metadata: metadata, segments: [.structure(segment)] + others)
  }

  var toolCalls: Transcript.ToolCalls {
    let calls = calls.map { call in
      Transcript.ToolCall(
        id: call.id,
        metadata: metadata.merging(call.metadata) { $1 },
        toolName: call.name,
        arguments: Self.arguments(call.arguments)
      )
    }
    return .init(id: id, calls)
  }

  // Arguments that are not JSON are kept as text, so that the model sees its mistake. Where there
  // are none, some models write nothing or `null`.
  private static func arguments(_ text: String) -> GeneratedContent {
    guard let content = try? GeneratedContent(json: text) else {
      return text.allSatisfy(\.isWhitespace)
        ? GeneratedContent(properties: [:])
        : GeneratedContent(kind: .string(text), id: nil, isComplete: false)
    }
    return content.kind == .null ? GeneratedContent(properties: [:]) : content
  }

  /// Returns the finished answer.
  ///
  /// - Parameter schema: The schema that the answer must follow.
  /// - Throws: ``GeneratedContent/ParsingError`` if a structured answer is incomplete or does not
  ///   follow the schema.
  func answer(schema: GenerationSchema?) throws -> Transcript.Response {
    if let schema {
      let content = try GeneratedContent(json: text)
      let problem = content.isComplete ? schema.violation(by: content) : brokeOff
      if let problem {
        throw GeneratedContent.ParsingError(rawContent: text, debugDescription: problem)
      }
    }
    let response = response(schema: schema)
    guard response.segments.isEmpty else { return response }
    return .init(id: id, metadata: metadata, segments: [.text(.init(content: ""))])
  }

  private var brokeOff: String {
    let isRepetition =
      metadata[Transcript.Response.cutKey]?.kind == .string(Transcript.Response.repetition)
    return isRepetition
      ? "The answer repeated itself without end, and was stopped before it was complete."
      : "The answer broke off before it was complete."
  }
}
