import Transcripts

/// An answer as a chat completion, as chunks and as a whole.
struct ChatCompletionEncoder: AnswerEncoder {
  private let model: String
  private let created: Int
  private let includesUsage: Bool
  private var turn: Int64 = 0
  private(set) var content = ""
  private var reasoning = ""
  private var refusal: String?
  private var calls: [ClientMessage.Call] = []
  /// Whether the message is not complete to which text is added.
  private var isInMessage = false
  /// Whether the line of reasoning is not complete.
  private var isInLine = false
  private(set) var end: AnswerEnd?

  init(model: String, created: Int, includesUsage: Bool = false) {
    (self.model, self.created, self.includesUsage) = (model, created, includesUsage)
  }

  mutating func encode(_ part: AnswerPart) -> [ServerSentEvent] {
    switch part {
    case .begun(let turn):
      self.turn = turn
      return [chunk(["role": "assistant", "content": ""])]
    case .reasoning(let text):
      isInLine = !text.hasSuffix("\n")
      return reason(text)
    case .note(let text): return line(text)
    case .call(_, let tool, let arguments):
      return line(Excerpt.line(tool + arguments, limit: 200))
    case .output(_, let tool, let text):
      return line(Excerpt.line("  \(tool) → \(text)", limit: 300))
    case .text(let text):
      // Words beside calls and the answer are one text here.
      let piece = isInMessage || content.isEmpty ? text : Self.separator + text
      isInMessage = true
      content += piece
      return [chunk(["content": piece])]
    case .message:
      isInMessage = false
      return []
    case .clientCall(let call):
      calls.append(call)
      return [tool(call, at: calls.count - 1), piece(of: call, at: calls.count - 1)]
    case .ended(let end):
      self.end = end
      return closing(end)
    }
  }

  private static let separator = [ClientMessage].separator

  /// Adds a line of its own to the reasoning.
  private mutating func line(_ text: String) -> [ServerSentEvent] {
    let piece = (isInLine ? "\n" : "") + text + "\n"
    isInLine = false
    return reason(piece)
  }

  private mutating func reason(_ piece: String) -> [ServerSentEvent] {
    reasoning += piece
    return [chunk(["reasoning_content": piece])]
  }

  // MARK: Calls of the client's functions

  /// Begins a call, whose arguments follow.
  private func tool(_ call: ClientMessage.Call, at place: Int) -> ServerSentEvent {
    chunk(["tool_calls": JSON(kind: .array([Self.json(of: call, arguments: "", at: place)]))])
  }

  private func piece(of call: ClientMessage.Call, at place: Int) -> ServerSentEvent {
    let function = JSON(properties: ["arguments": call.arguments])
    let piece = JSON(properties: ["index": place, "function": function])
    return chunk(["tool_calls": JSON(kind: .array([piece]))])
  }

  private static func json(
    of call: ClientMessage.Call,
    arguments: String,
    at place: Int?
  ) -> JSON {
    let index: [(String, any ConvertibleToGeneratedContent)] = place.map { [("index", $0)] } ?? []
    return JSON(
      index + [
        ("id", call.id), ("type", "function"),
        ("function", JSON(properties: ["name": call.name, "arguments": arguments])),
      ]
    )
  }

  private mutating func closing(_ end: AnswerEnd) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    if case .refused(let words) = end.reason {
      refusal = words
      events.append(chunk(["refusal": words]))
    }
    do throws(OpenAIError) {
      events.append(chunk([:], finish: try end.reason.finish))
      return events + usage(end) + [.done]
    } catch {
      return [.error(error), .done]
    }
  }

  private func usage(_ end: AnswerEnd) -> [ServerSentEvent] {
    guard includesUsage else { return [] }
    let fields =
      head("chat.completion.chunk") + [
        ("choices", JSON(kind: .array([]))), ("usage", end.usage.ofChatCompletion),
      ]
    return [ServerSentEvent(JSON(fields))]
  }

  private func chunk(
    _ delta: KeyValuePairs<String, any ConvertibleToGeneratedContent>,
    finish: String? = nil
  ) -> ServerSentEvent {
    let choice = JSON(properties: [
      "index": 0, "delta": JSON(properties: delta), "logprobs": JSON.null,
      "finish_reason": finish.content,
    ])
    var fields = head("chat.completion.chunk") + [("choices", JSON(kind: .array([choice])))]
    if includesUsage { fields.append(("usage", JSON.null)) }
    return ServerSentEvent(JSON(fields))
  }

  private func head(_ object: String) -> [(String, any ConvertibleToGeneratedContent)] {
    [("id", "chatcmpl-\(turn)"), ("object", object), ("created", created), ("model", model)]
  }

  var whole: JSON {
    get throws(OpenAIError) {
      let end = end ?? AnswerEnd(reason: .cancelled)
      let reason = try end.reason.finish
      var message: [(String, any ConvertibleToGeneratedContent)] = [
        ("role", "assistant"), ("content", content), ("refusal", refusal.content),
      ]
      if !reasoning.isEmpty { message.append(("reasoning_content", reasoning)) }
      if !calls.isEmpty {
        let calls = calls.map { call in Self.json(of: call, arguments: call.arguments, at: nil) }
        message.append(("tool_calls", JSON(kind: .array(calls))))
      }
      let choice = JSON(properties: [
        "index": 0, "message": JSON(message), "logprobs": JSON.null, "finish_reason": reason,
      ])
      return JSON(
        head("chat.completion") + [
          ("choices", JSON(kind: .array([choice]))),
          ("usage", end.usage.ofChatCompletion),
        ]
      )
    }
  }
}

extension AnswerEnd.Reason {
  /// The `finish_reason` of an answer that has one; an error for the others.
  fileprivate var finish: String {
    get throws(OpenAIError) {
      switch self {
      case .answered, .refused: "stop"
      case .waiting: "tool_calls"
      case .length: "length"
      case .cancelled: throw .cancelled
      case .failed(let error): throw error
      }
    }
  }
}
