import Transcripts

/// An answer as a response, as events and as a whole.
///
/// At most one message or summary of reasoning is open, while any number of calls are.
struct ResponseEncoder: AnswerEncoder {
  private(set) var head: ResponseHead
  private var items: [ResponseItem] = []
  /// The place of the message or of the reasoning to which text is added.
  private var growing: Int?
  private var sequence = 0
  private(set) var end: AnswerEnd?
  private var completed: Int?
  private let clock: @Sendable () -> Int

  /// - Parameter clock: The time in seconds, when the answer ends.
  init(_ head: ResponseHead, clock: @escaping @Sendable () -> Int) {
    self.head = head
    self.clock = clock
  }

  mutating func encode(_ part: AnswerPart) -> [ServerSentEvent] {
    switch part {
    case .begun(let turn):
      head.turn = turn
      return [
        event("response.created", [("response", object(.inProgress))]),
        event("response.in_progress", [("response", object(.inProgress))]),
      ]
    case .reasoning(let text): return reason(text)
    case .note(let text): return reason(text + "\n", isLine: true)
    case .text(let text): return say(text)
    case .message(let isAnswer): return finishMessage(isAnswer: isAnswer)
    case .call(let id, let tool, let arguments):
      return closeGrowing() + call(id, tool, arguments)
    case .output(let id, _, let text): return output(text, ofCall: id)
    case .clientCall(let call): return closeGrowing() + function(call)
    case .ended(let end): return close(end)
    }
  }

  var content: String {
    items.compactMap { item in
      if case .message(let message) = item.kind, !message.isRefusal { message.text } else { nil }
    }.filter { !$0.isEmpty }.joined(separator: [ClientMessage].separator)
  }

  var whole: JSON {
    get throws(OpenAIError) { object(status) }
  }

  var status: ResponseHead.Status {
    switch end?.reason {
    case nil: .inProgress
    case .answered, .waiting, .refused: .completed
    case .length: .incomplete
    case .cancelled: .cancelled
    case .failed: .failed
    }
  }

  private func object(_ status: ResponseHead.Status) -> JSON {
    head.object(status, output: items.map(\.json), end: end, completed: completed)
  }

  // MARK: Messages and reasoning

  private mutating func say(_ text: String) -> [ServerSentEvent] {
    grow(.message(.init()), by: text) { if case .message = $0 { true } else { false } }
  }

  private mutating func reason(_ text: String, isLine: Bool = false) -> [ServerSentEvent] {
    var piece = text
    if isLine, let growing, case .reasoning(let before) = items[growing].kind,
      !before.isEmpty, !before.hasSuffix("\n")
    {
      piece = "\n" + text
    }
    return grow(.reasoning(""), by: piece) { if case .reasoning = $0 { true } else { false } }
  }

  /// Adds text to the open item, or to a new one if that is of another kind.
  private mutating func grow(
    _ kind: ResponseItem.Kind,
    by text: String,
    isSame: (ResponseItem.Kind) -> Bool
  ) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    if growing.map({ !isSame(items[$0].kind) }) ?? true {
      events += closeGrowing()
      growing = items.count
      events += add(kind)
    }
    guard let place = growing else { return events }
    items[place].text += text
    events.append(
      event(names(of: place).delta, fields(of: place) + [("delta", text)] + logprobs(place))
    )
    return events
  }

  private mutating func finishMessage(isAnswer: Bool) -> [ServerSentEvent] {
    guard let growing, case .message(var message) = items[growing].kind else { return [] }
    message.isAnswer = isAnswer
    items[growing].kind = .message(message)
    return closeGrowing()
  }

  /// Ends the open message or reasoning.
  private mutating func closeGrowing(
    _ status: ResponseItem.Status = .completed
  ) -> [ServerSentEvent] {
    guard let place = growing else { return [] }
    growing = nil
    items[place].status = status
    let (names, fields) = (names(of: place), fields(of: place))
    return [
      event(names.done, fields + [(names.text, items[place].text)] + logprobs(place)),
      event(names.partDone, fields + [("part", items[place].part)]),
      itemDone(place),
    ]
  }

  private struct Names {
    var part: String
    var delta: String
    var done: String
    var partDone: String
    var index: String
    /// The key of the whole text.
    var text: String

    static let message = of("output_text", text: "text")
    static let refusal = of("refusal", text: "refusal")
    static let reasoning = Names(
      part: "response.reasoning_summary_part.added",
      delta: "response.reasoning_summary_text.delta",
      done: "response.reasoning_summary_text.done",
      partDone: "response.reasoning_summary_part.done",
      index: "summary_index",
      text: "text"
    )

    private static func of(_ kind: String, text: String) -> Names {
      Names(
        part: "response.content_part.added",
        delta: "response.\(kind).delta",
        done: "response.\(kind).done",
        partDone: "response.content_part.done",
        index: "content_index",
        text: text
      )
    }
  }

  private func names(of place: Int) -> Names {
    switch items[place].kind {
    case .reasoning: .reasoning
    case .message(let message) where message.isRefusal: .refusal
    case .message, .call, .function: .message
    }
  }

  private typealias Fields = [(String, any ConvertibleToGeneratedContent)]

  private func fields(of place: Int) -> Fields {
    [("item_id", items[place].id), ("output_index", place), (names(of: place).index, 0)]
  }

  private func logprobs(_ place: Int) -> Fields {
    guard case .message(let message) = items[place].kind, !message.isRefusal else { return [] }
    return [("logprobs", JSON(kind: .array([])))]
  }

  // MARK: Items

  private mutating func add(_ kind: ResponseItem.Kind) -> [ServerSentEvent] {
    let place = items.count
    let prefix =
      switch kind {
      case .message: "msg"
      case .reasoning: "rs"
      case .call: "mcp"
      case .function: "fc"
      }
    items.append(ResponseItem(id: "\(prefix)_\(head.turn)_\(place)", kind: kind))
    var events = [
      event(
        "response.output_item.added",
        [("output_index", place), ("item", items[place].asAdded)]
      )
    ]
    switch kind {
    case .call, .function: return events
    case .message, .reasoning: break
    }
    events.append(
      event(names(of: place).part, fields(of: place) + [("part", items[place].emptyPart)])
    )
    return events
  }

  private mutating func itemDone(_ place: Int) -> ServerSentEvent {
    event("response.output_item.done", [("output_index", place), ("item", items[place].json)])
  }

  // MARK: Calls

  private mutating func call(
    _ id: String,
    _ tool: String,
    _ arguments: String
  ) -> [ServerSentEvent] {
    let place = items.count
    let added = add(.call(.init(id: id, tool: tool, arguments: arguments)))
    let fields: Fields = [("item_id", items[place].id), ("output_index", place)]
    return added + [
      event("response.mcp_call.in_progress", fields),
      event("response.mcp_call_arguments.delta", fields + [("delta", arguments)]),
      event("response.mcp_call_arguments.done", fields + [("arguments", arguments)]),
    ]
  }

  private mutating func output(_ text: String, ofCall id: String) -> [ServerSentEvent] {
    // A model may give several calls the same identity; their outputs come in order.
    let place = items.firstIndex { item in
      if case .call(let call) = item.kind { item.isOpen && call.id == id } else { false }
    }
    guard let place, case .call(var call) = items[place].kind else { return [] }
    call.output = text
    return finish(call, at: place, .completed)
  }

  private mutating func finish(
    _ call: ResponseItem.Call,
    at place: Int,
    _ status: ResponseItem.Status
  ) -> [ServerSentEvent] {
    items[place].kind = .call(call)
    items[place].status = status
    let fields: Fields = [("item_id", items[place].id), ("output_index", place)]
    return [event("response.mcp_call.\(status.rawValue)", fields), itemDone(place)]
  }

  private mutating func function(_ call: ClientMessage.Call) -> [ServerSentEvent] {
    let place = items.count
    let added = add(.function(call))
    items[place].status = .completed
    let fields: Fields = [("item_id", items[place].id), ("output_index", place)]
    let (kind, arguments) = ("response.function_call_arguments", call.arguments)
    return added + [
      event("\(kind).delta", fields + [("delta", arguments)]),
      event("\(kind).done", fields + [("name", call.name), ("arguments", arguments)]),
      itemDone(place),
    ]
  }

  // MARK: The end

  private mutating func close(_ end: AnswerEnd) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    if case .refused(let words) = end.reason {
      events += grow(.message(.init(isRefusal: true, isAnswer: true)), by: words) { _ in false }
    }
    events += closeGrowing([.answered, .waiting].contains(end.reason) ? .completed : .incomplete)
    for (place, item) in items.enumerated() where item.isOpen {
      guard case .call(var call) = item.kind else { continue }
      call.error = "The turn ended before the call returned."
      events += finish(call, at: place, .failed)
    }
    self.end = end
    completed = status == .completed ? clock() : nil
    let name =
      switch status {
      case .completed: "response.completed"
      case .incomplete: "response.incomplete"
      case .inProgress, .failed, .cancelled: "response.failed"
      }
    return events + [event(name, [("response", object(status))])]
  }

  private mutating func event(_ name: String, _ fields: Fields) -> ServerSentEvent {
    defer { sequence += 1 }
    let head: Fields = [("type", name), ("sequence_number", sequence)]
    return ServerSentEvent(JSON(head + fields), name: name)
  }
}
