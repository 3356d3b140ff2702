import AgentKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Assembles a server's reply from chunks, and produces the events for a session.
struct ChatReply {
  typealias Channel = LanguageModelExecutorGenerationChannel
  typealias Fault = ChatCompletionsLanguageModel.RequestError
  private typealias Usage = LanguageModelSession.Usage

  /// A call, as far as its pieces have arrived.
  private struct Call {
    /// The server's ID for the call; empty if there is none.
    let serverID: String
    let id: String
    let index: Int?
    var name = ""
    var arguments = ""
    /// Arguments that arrived before the name.
    var waiting = ""
    var isSent = false

    /// Whether the arguments are a complete object.
    var isWhole: Bool {
      // The end is checked first, because parsing all of a long text again for every piece is slow.
      guard arguments.last(where: { !$0.isWhitespace }) == "}",
        let content = try? GeneratedContent(json: arguments), case .structure = content.kind
      else { return false }
      return content.isComplete
    }
  }

  private let reasoningID = newIdentity()
  private let responseID = newIdentity()
  private let callsID = newIdentity()
  private var calls: [Call] = []
  private let isStructured: Bool
  private let isBoundSent: Bool
  private var usage: ChatChunk.Usage?
  /// The number of nonempty pieces; each is one token or several.
  private var pieces = Usage.Output(totalTokenCount: 0, reasoningTokenCount: 0)
  private var hasText = false
  private var hasAnswer = false
  private var refusalText = ""
  private(set) var finishReason: String?

  /// Starts a reply.
  /// - Parameters:
  ///   - isStructured: Whether the answer must follow a schema.
  ///   - isBoundSent: Whether the server was sent the requested limit on tokens, and no other.
  init(isStructured: Bool, isBoundSent: Bool) {
    self.isStructured = isStructured
    self.isBoundSent = isBoundSent
  }

  var hasCalls: Bool { !calls.isEmpty }
  /// Whether anything written by a model has arrived.
  var isBegun: Bool { hasText || hasCalls }

  /// Why the model refuses to answer; `nil` if it does not.
  var refusal: String? {
    if !refusalText.isEmpty { return refusalText }
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

  /// Returns the event that marks an incomplete answer with what cut it off.
  func mark(within bound: Int?, isCallRequired: Bool) -> [Channel.Event] {
    let missing = isCallRequired ? boundOfMissingCall(within: bound) : nil
    guard let cut = cut(within: bound) ?? missing else { return [] }
    let metadata = [Transcript.Response.cutKey: cut]
    return [.response(entryID: responseID, action: .updateMetadata(metadata))]
  }

  /// Takes a chunk and returns what is new in it, in the order in which a model writes.
  mutating func take(_ chunk: ChatChunk) -> [Channel.Event] {
    usage = chunk.usage ?? usage
    finishReason = chunk.finishReason ?? finishReason
    guard let message = chunk.message else { return [] }
    var events: [Channel.Event] = []
    if let text = message.reasoning, !text.isEmpty {
      hasText = true
      pieces.totalTokenCount += 1
      pieces.reasoningTokenCount += 1
      let action = Channel.Reasoning.Action.appendText(text, tokenCount: 0)
      events.append(.reasoning(entryID: reasoningID, action: action))
    }
    if let text = message.content, !text.isEmpty { events.append(answer(text)) }
    if let text = message.refusal, !text.isEmpty {
      // Some servers send a refusal in a field of its own. It is still the answer, except when a
      // program reads the answer.
      if isStructured { refuse(text) } else { events.append(answer(text)) }
    }
    for piece in message.calls ?? [] { events += take(piece) }
    return events
  }

  private mutating func answer(_ text: String) -> Channel.Event {
    hasText = true
    hasAnswer = true
    pieces.totalTokenCount += 1
    let action = Channel.Response.Action.appendText(text, tokenCount: 0)
    return .response(entryID: responseID, action: action)
  }

  private mutating func refuse(_ text: String) {
    hasText = true
    pieces.totalTokenCount += 1
    refusalText += text
  }

  private mutating func take(_ piece: ChatChunk.Call) -> [Channel.Event] {
    let place = place(of: piece)
    if calls[place].name.isEmpty { calls[place].name = piece.function?.name ?? "" }
    if let arguments = piece.function?.arguments, !arguments.isEmpty {
      pieces.totalTokenCount += 1
      calls[place].arguments += arguments
      calls[place].waiting += arguments
    }
    let call = calls[place]
    // A call without a name cannot be shown yet; an empty piece shows one that has no arguments.
    guard !call.name.isEmpty, !call.waiting.isEmpty || !call.isSent else { return [] }
    calls[place].waiting = ""
    calls[place].isSent = true
    return [
      .toolCalls(
        entryID: callsID,
        action: .toolCall(
          id: call.id,
          name: call.name,
          action: .appendArguments(call.waiting, tokenCount: 0)
        )
      )
    ]
  }

  /// Returns the call that a piece belongs to.
  ///
  /// Servers number their calls, name them, or do neither; some give all of them the same number.
  private mutating func place(of piece: ChatChunk.Call) -> Int {
    let named = piece.id ?? ""
    let known =
      calls.lastIndex { call in
        let isSameName = named.isEmpty || named == call.serverID
        return isSameName && (piece.index == nil || piece.index == call.index)
      } ?? continued(by: piece)
    if let known, !Self.isFirst(piece, after: calls[known]) { return known }
    let isFree = !named.isEmpty && !calls.contains { $0.id == named }
    let id = isFree ? named : newIdentity()
    calls.append(Call(serverID: named, id: id, index: piece.index))
    return calls.count - 1
  }

  /// Returns the call continued by a piece that has an ID of its own but only shares a number.
  private func continued(by piece: ChatChunk.Call) -> Int? {
    guard let index = piece.index, (piece.function?.name ?? "").isEmpty else { return nil }
    return calls.lastIndex { $0.index == index && !$0.name.isEmpty }
  }

  /// Whether a piece begins a new call rather than continuing the one that it seems to belong to.
  ///
  /// A separate ID would say so. Without one, only a name can: some servers send whole calls that
  /// nothing distinguishes, number all of them 0, or give all of them one ID; others repeat the
  /// name of a call with each of its pieces.
  private static func isFirst(_ piece: ChatChunk.Call, after call: Call) -> Bool {
    guard let name = piece.function?.name, !name.isEmpty, !call.name.isEmpty else { return false }
    // A call has one name.
    guard name == call.name else { return true }
    // An incomplete object goes on, so the name is merely repeated.
    guard call.isWhole else { return false }
    // Only whitespace can follow a complete object, so other arguments belong to a new call.
    // Without any, a number means the end of the same call, and no number means a new one.
    return piece.index == nil || piece.function?.arguments?.allSatisfy(\.isWhitespace) == false
  }

  /// Returns the cost of the request, reported once at the end for the answer's entry.
  ///
  /// If the server does not report the output, its pieces are counted: that is too low, but a cap
  /// on tokens that nobody counts would never be reached.
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
        entryID: callsID,
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
    if calls.contains(where: { !$0.isSent }) {
      throw .invalidStreamData("it calls a tool without naming it")
    }
    // If the agent's own limit cut the call off, that is what ends the turn.
    if isCallRequired, !hasCalls, bound == nil || finishReason != "length" {
      throw .invalidStreamData("it does not call a tool, though a call was required")
    }
  }
}
