#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Puts together what a model generates in one request.
struct GenerationCollector {
  private struct Call {
    let id: String
    let name: String
    var arguments: String
  }

  private var reasoningID = UUID().uuidString
  private var responseID = UUID().uuidString
  private var callsID = UUID().uuidString
  private var reasoning = ""
  private var response: String?
  private var calls: [Call] = []
  private(set) var usage = LanguageModelSession.Usage()

  /// Takes an event; returns what to show of the entry that it changed.
  mutating func take(
    _ event: LanguageModelExecutorGenerationChannel.Event
  ) -> EntrySnapshot? {
    switch event.content {
    case .reasoning(let action):
      reasoningID = event.entryID ?? reasoningID
      reasoning = apply(action.part, to: reasoning) ?? reasoning
      return EntrySnapshot(entryID: reasoningID, kind: .reasoning, text: reasoning)
    case .response(let action):
      responseID = event.entryID ?? responseID
      guard let text = apply(action.part, to: response ?? "") else { return nil }
      response = text
      return EntrySnapshot(entryID: responseID, kind: .response, text: text)
    case .toolCalls(let action):
      callsID = event.entryID ?? callsID
      switch action.content {
      case .usage(let usage): self.usage = usage
      case .call(let id, let name, let action):
        if let index = calls.firstIndex(where: { $0.id == id }) {
          calls[index].arguments += action.arguments
        } else {
          calls.append(Call(id: id, name: name, arguments: action.arguments))
        }
      }
      return nil
    }
  }

  /// Returns the text with the part applied; `nil` for a part that is not about the text.
  private mutating func apply(
    _ part: LanguageModelExecutorGenerationChannel.Part,
    to text: String
  ) -> String? {
    switch part {
    case .append(let more): return text + more
    case .replace(let whole): return whole
    case .usage(let usage):
      self.usage = usage
      return nil
    }
  }

  var reasoningEntry: Transcript.Reasoning? {
    guard !reasoning.isEmpty else { return nil }
    return .init(id: reasoningID, segments: [.text(.init(content: reasoning))])
  }

  /// The calls, or `nil` when there are none.
  var callsEntry: Transcript.ToolCalls? {
    guard !calls.isEmpty else { return nil }
    let parsed = calls.map { call in
      Transcript.ToolCall(
        id: call.id,
        toolName: call.name,
        arguments: Self.arguments(call.arguments)
      )
    }
    return .init(id: callsID, parsed)
  }

  // Arguments that are no JSON are kept as the text that they are, for the model to see its mistake.
  private static func arguments(_ text: String) -> GeneratedContent {
    let json = text.isEmpty ? "{}" : text
    return (try? GeneratedContent(json: json))
      ?? GeneratedContent(kind: .string(text), id: nil, isComplete: false)
  }

  /// The answer: empty when the model generated neither an answer nor calls.
  func responseEntry(schema: GenerationSchema?) throws -> Transcript.Response {
    let text = response ?? ""
    guard let schema else {
      return .init(id: responseID, segments: [.text(.init(content: text))])
    }
    let content = try GeneratedContent(json: text)
    guard content.isComplete else {
      throw GeneratedContent.ParsingError(
        rawContent: text,
        debugDescription: "The answer broke off before its end."
      )
    }
    let segment = Transcript.StructuredSegment(schemaName: schema.name, content: content)
    return .init(id: responseID, segments: [.structure(segment)])
  }
}
