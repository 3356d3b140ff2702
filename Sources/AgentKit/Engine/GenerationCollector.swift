import PlatformLibraries

/// A collector of what a model generates in one request.
struct GenerationCollector {
  let schema: GenerationSchema?
  private var drafts: [EntryDraft] = []
  /// The draft to which parts without an identity belong, until a part of another kind arrives.
  private var anonymous: Int?
  private(set) var usage = LanguageModelSession.Usage()

  init(schema: GenerationSchema?) {
    self.schema = schema
  }

  /// Takes an event, and returns how it changed the text of an entry.
  mutating func take(_ event: LanguageModelExecutorGenerationChannel.Event) -> TextChange? {
    switch event.content {
    case .response(let event):
      return take(event.action.part, of: .response, event.entryID)
    case .reasoning(let event):
      return take(event.action.part, of: .reasoning, event.entryID)
    case .toolCalls(let event):
      // Usage belongs to the request and does not create an entry.
      if case .usage(let usage) = event.action.content {
        self.usage = usage
        return nil
      }
      let index = draft(event.entryID, .toolCalls)
      switch event.action.content {
      case .call(let call):
        count(call.action.tokenCount, of: .toolCalls)
        drafts[index].take(call)
      case .removal(let id): drafts[index].remove(call: id)
      case .metadata(let metadata): drafts[index].take(metadata)
      case .usage: break
      }
      return nil
    }
  }

  private mutating func take(
    _ part: LanguageModelExecutorGenerationChannel.Part,
    of kind: EntryDraft.Kind,
    _ entryID: String?
  ) -> TextChange? {
    count(part.tokenCount, of: kind)
    if case .usage(let usage) = part {
      self.usage = usage
      return nil
    }
    let index = draft(entryID, kind)
    return drafts[index].take(part).map { keptBytes, added in
      TextChange(
        entryID: drafts[index].id,
        isReasoning: kind == .reasoning,
        keptBytes: keptBytes,
        added: added
      )
    }
  }

  /// Adds the tokens of a part to the usage, which the model replaces when it reports its own.
  private mutating func count(_ tokens: Int, of kind: EntryDraft.Kind) {
    usage.output.totalTokenCount += tokens
    if kind == .reasoning { usage.output.reasoningTokenCount += tokens }
  }

  /// Returns the index of the draft to which a part belongs.
  private mutating func draft(_ id: String?, _ kind: EntryDraft.Kind) -> Int {
    let known =
      if let id {
        drafts.firstIndex { $0.id == id && $0.kind == kind }
      } else {
        anonymous.flatMap { drafts[$0].kind == kind ? $0 : nil }
      }
    let index = known ?? drafts.endIndex
    if known == nil { drafts.append(EntryDraft(id: id ?? newIdentity(), kind: kind)) }
    anonymous = id == nil ? index : nil
    return index
  }
}

extension GenerationCollector {
  /// The entries so far, without those for which nothing was generated.
  var entries: [Transcript.Entry] {
    drafts.filter { !$0.isEmpty }.map { $0.entry(schema: schema) }
  }

  var answerText: String? { answer?.text }

  private var answer: EntryDraft? { drafts.last { $0.kind == .response && !$0.isEmpty } }

  /// Whether the model calls tools, and must therefore be asked again.
  var hasCalls: Bool { drafts.contains { !$0.calls.isEmpty } }

  /// Returns all entries of a request that ends in calls, which come last in a single entry.
  ///
  /// Text that the model wrote alongside its calls becomes a separate entry before them; line
  /// breaks alone do not count as text.
  func entriesWithCalls() -> (before: [Transcript.Entry], calls: Transcript.ToolCalls) {
    let before = drafts.filter { $0.kind != .toolCalls && !$0.isBlank }
      // Only the end of a turn has a structured answer; alongside calls there is only text.
      .map { $0.entry(schema: nil) }
    let rounds = drafts.filter { !$0.calls.isEmpty }
    let calls = rounds.flatMap { Array($0.toolCalls) }
    return (before, .init(id: rounds.first?.id ?? newIdentity(), calls))
  }

  /// Returns all entries of a request that ends the turn, with the answer last.
  ///
  /// The answer is empty if the model generated none.
  ///
  /// - Throws: ``GeneratedContent/ParsingError`` if the answer does not follow the schema.
  func entriesWithAnswer() throws -> (before: [Transcript.Entry], answer: Transcript.Response) {
    let answer = self.answer ?? EntryDraft(id: newIdentity(), kind: .response)
    let before = drafts.filter { !($0.id == answer.id && $0.kind == .response) && !$0.isEmpty }
      .map { $0.entry(schema: schema) }
    return (before, try answer.answer(schema: schema))
  }
}
