import AgentKit

/// Assembles a server's reply from chunks, and produces the events for a session.
struct ChatReply {
  typealias Channel = LanguageModelExecutorGenerationChannel
  typealias Fault = ChatCompletionsLanguageModel.RequestError
  private typealias Usage = LanguageModelSession.Usage

  private let reasoningID = newIdentity()
  private let responseID = newIdentity()
  /// The model and server that reply.
  private let origin: String
  private var texts: SentTexts
  private var calls = SentCalls()
  /// What came with the message and means something only to the server.
  private var opaque = OpaqueFields()
  private let isBoundSent: Bool
  private var usage: ChatChunk.Usage?
  /// The number of nonempty pieces; each is one token or several.
  private var pieces = Usage.Output(totalTokenCount: 0, reasoningTokenCount: 0)
  private(set) var finishReason: String?

  /// Starts a reply.
  /// - Parameters:
  ///   - origin: The model and server that reply.
  ///   - isStructured: Whether the answer must follow a schema.
  ///   - isBoundSent: Whether the server was sent the requested limit on tokens, and no other.
  init(origin: String, isStructured: Bool, isBoundSent: Bool) {
    self.origin = origin
    texts = SentTexts(isStructured: isStructured)
    self.isBoundSent = isBoundSent
  }

  var hasCalls: Bool { !calls.isEmpty }
  /// Whether anything written by a model has arrived.
  var isBegun: Bool { pieces.totalTokenCount > 0 || hasCalls }
  private var hasAnswer: Bool { texts.hasAnswer }

  /// Why the model refuses to answer; `nil` if it does not.
  var refusal: String? {
    if !texts.refusalText.isEmpty { return texts.refusalText }
    let isFiltered = finishReason == "content_filter" && !hasAnswer && !hasCalls
    return isFiltered ? "The server's content filter blocked the whole answer." : nil
  }

  /// Returns what cut the answer off, according to the server, other than the requested bound.
  /// - Parameter bound: The requested limit on tokens.
  private func cut(within bound: Int?) -> String? {
    guard !hasCalls else { return nil }
    switch finishReason {
    // Without an answer it is a refusal.
    case "content_filter": return hasAnswer ? finishReason : nil
    // Mistral's name for a full window, and watsonx's for its own time limit.
    case "model_length", "time_limit": return finishReason
    case "length": return isOwn(bound) ? nil : finishReason
    default: return nil
    }
  }

  /// The reasons with which a server gives up midway while ending its stream normally.
  ///
  /// The list of other reasons is open-ended, and with any of them an answer counts as complete.
  private static let breakdowns: Set = [
    "error", "abort", "insufficient_system_resource", "network_error",
  ]

  /// Whether the server said that the answer is over, rather than that it gives up.
  var isFinished: Bool { finishReason.map { !Self.breakdowns.contains($0) } ?? false }

  /// Returns the bound that left no room for a required call; `nil` if the call is there.
  private func boundOfMissingCall(within bound: Int?) -> String? {
    guard !hasCalls, finishReason == "length" else { return nil }
    return isOwn(bound) ? "maximumResponseTokens" : finishReason
  }

  /// Whether as much came as was requested, so that the server had no limit of its own.
  ///
  /// Only the server can count tokens; without its count the answer is taken to fill the bound if
  /// the server knew it.
  private func isOwn(_ bound: Int?) -> Bool {
    guard let bound else { return false }
    return (usage?.completion ?? (isBoundSent ? bound : pieces.totalTokenCount)) >= bound
  }

  /// Ends an answer at the requested bound, where the server does not know it.
  /// - Returns: Whether the answer ends here.
  mutating func end(at bound: Int) -> Bool {
    guard !isBoundSent, finishReason == nil, pieces.totalTokenCount >= bound else { return false }
    finishReason = "length"
    return true
  }

  /// Takes a chunk and returns what is new in it, in the order in which a model writes.
  mutating func take(_ chunk: ChatChunk) -> [Channel.Event] {
    usage = chunk.usage ?? usage
    finishReason = chunk.finishReason ?? finishReason
    guard let message = chunk.message else { return [] }
    opaque.merge(message.opaque)
    var events = texts.take(message).map(event)
    for case let text? in [message.reasoning, message.content, message.refusal] where !text.isEmpty
    {
      pieces.totalTokenCount += 1
    }
    if message.reasoning?.isEmpty == false { pieces.reasoningTokenCount += 1 }
    if message.content?.isEmpty == false, texts.isContentReasoning {
      pieces.reasoningTokenCount += 1
    }
    for piece in message.calls {
      if piece.arguments?.isEmpty == false { pieces.totalTokenCount += 1 }
      events += calls.take(piece)
    }
    return events
  }

  /// Returns what was held back until the end, what came with the message or its calls, and the
  /// mark of an incomplete answer with what cut it off.
  mutating func finish(within bound: Int?, isCallRequired: Bool) -> [Channel.Event] {
    var events = texts.finish().map(event) + calls.finish(opaque, of: origin)
    var metadata = hasCalls ? [:] : OpaqueFields.metadata(message: opaque, of: origin)
    let missing = isCallRequired ? boundOfMissingCall(within: bound) : nil
    if let cut = cut(within: bound) ?? missing {
      metadata[Transcript.Response.cutKey] = cut.generatedContent
    }
    if !metadata.isEmpty {
      events.append(.response(entryID: responseID, action: .updateMetadata(metadata)))
    }
    return events
  }

  private func event(_ piece: SentTexts.Piece) -> Channel.Event {
    switch piece {
    case .reasoning(let text):
      .reasoning(entryID: reasoningID, action: .appendText(text, tokenCount: 0))
    case .answer(let text):
      .response(entryID: responseID, action: .appendText(text, tokenCount: 0))
    }
  }

  /// Returns the cost of the request, reported once at the end for the answer's entry.
  ///
  /// If the server does not report the output, its pieces are counted: that is too low, but a cap
  /// on tokens that are not counted would never be reached.
  func cost(_ metadata: [String: any ConvertibleToGeneratedContent]) -> Channel.Event {
    let input = Usage.Input(
      totalTokenCount: usage?.prompt ?? 0,
      cachedTokenCount: usage?.cached ?? 0
    )
    let told = usage?.completion.map { total in
      Usage.Output(
        totalTokenCount: total,
        reasoningTokenCount: usage?.reasoning ?? 0
      )
    }
    let output = told ?? pieces
    return hasCalls
      ? .toolCalls(
        entryID: calls.entryID,
        action: .updateUsage(input: input, output: output, metadata: metadata)
      )
      : .response(
        entryID: responseID,
        action: .updateUsage(input: input, output: output, metadata: metadata)
      )
  }

  /// Checks that what arrived is an answer.
  /// - Parameter bound: The requested limit on tokens.
  func check(isComplete: Bool, isCallRequired: Bool, within bound: Int?) throws(Fault) {
    guard isComplete else {
      let reason = finishReason.map { ": the server says '\($0)'" } ?? ""
      throw .invalidStreamData(
        "it broke off\(isBegun ? " in the middle" : " before it began")\(reason)"
      )
    }
    if !calls.areNamed {
      throw .invalidStreamData("it calls a tool without naming it")
    }
    // If the agent's own limit cut the call off, that is what ends the turn.
    if isCallRequired, !hasCalls, bound == nil || finishReason != "length" {
      throw .invalidStreamData("it does not call a tool, though a call was required")
    }
  }
}
