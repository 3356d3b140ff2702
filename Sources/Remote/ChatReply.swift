import AgentKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Puts a server's pieces together: takes chunks, and says what a session is to hear of them.
struct ChatReply {
  typealias Channel = LanguageModelExecutorGenerationChannel
  typealias Fault = ChatCompletionsLanguageModel.RequestError
  private typealias Usage = LanguageModelSession.Usage

  /// A call, as far as its pieces have come.
  private struct Call {
    /// What the server calls it; empty where it calls it nothing.
    let serverID: String
    let id: String
    let index: Int?
    var name = ""
    var arguments = ""
    /// Arguments that came before the name.
    var waiting = ""
    var isSent = false

    /// Whether its arguments are a whole object.
    var isWhole: Bool {
      // Its end is looked at first: all of a long text would be read again with every piece of it.
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
  private var usage: ChatChunk.Usage?
  /// The pieces that have come with something in them; a piece is a token, or several.
  private var pieces = Usage.Output(totalTokenCount: 0, reasoningTokenCount: 0)
  private var hasText = false
  private var hasAnswer = false
  private var refusalText = ""
  private(set) var finishReason: String?

  /// - Parameter isStructured: Whether the answer is to follow a schema.
  init(isStructured: Bool) {
    self.isStructured = isStructured
  }

  var hasCalls: Bool { !calls.isEmpty }
  /// Whether anything at all has come that a model wrote.
  var isBegun: Bool { hasText || hasCalls }

  /// Why there is no answer, where the model refuses to give one.
  var refusal: String? {
    if !refusalText.isEmpty { return refusalText }
    let isFiltered = finishReason == "content_filter" && !hasAnswer && !hasCalls
    return isFiltered ? "The server's content filter blocked the whole answer." : nil
  }

  /// What the server says cut the answer off, where nobody has asked it to.
  /// - Parameter bound: The most tokens that were asked for.
  private func cut(within bound: Int?) -> String? {
    guard hasAnswer, !hasCalls else { return nil }
    switch finishReason {
    // Mistral's name for a window that is full, and watsonx's for its own patience.
    case "content_filter", "model_length", "time_limit": return finishReason
    case "length":
      // As many as were asked for is no bound of the server's; how many they were, it alone can tell.
      guard let bound, usage?.completion ?? bound >= bound else { return finishReason }
      return nil
    default: return nil
    }
  }

  /// Why the server gave up in the middle, where it ends its stream as if all were well.
  ///
  /// What other reasons there are is not known: an answer is whole for any of them.
  private static let breakdowns: Set = [
    "error", "abort", "insufficient_system_resource", "network_error",
  ]

  /// Whether the server has said that the answer is over, and not only that it gives up.
  var isFinished: Bool { finishReason.map { !Self.breakdowns.contains($0) } ?? false }

  /// Says of an answer that is not whole what has cut it off.
  func mark(within bound: Int?) -> [Channel.Event] {
    guard let cut = cut(within: bound) else { return [] }
    let metadata = [Transcript.Response.cutKey: cut]
    return [.response(entryID: responseID, action: .updateMetadata(metadata))]
  }

  /// Takes a chunk; returns what is new in it, in the order in which a model writes.
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
      // Some send why they refuse in a field of its own. It is the answer all the same, but not where
      // the answer is read by a program.
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

  /// The call that a piece belongs to.
  ///
  /// Servers number their calls, or name them, or do neither; some number all of them alike.
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

  /// The call that a piece goes on with which has an id of its own; it says nothing but whose number it
  /// has.
  private func continued(by piece: ChatChunk.Call) -> Int? {
    guard let index = piece.index, (piece.function?.name ?? "").isEmpty else { return nil }
    return calls.lastIndex { $0.index == index && !$0.name.isEmpty }
  }

  /// Whether a piece begins a call of its own, and not what the call goes on with that it seems to
  /// belong to.
  ///
  /// An id of its own would say so. Without one only a name can: some servers send whole calls with
  /// nothing to tell them apart, or number all of them 0, or give all of them one id; others say a call's
  /// name again with each of its pieces.
  private static func isFirst(_ piece: ChatChunk.Call, after call: Call) -> Bool {
    guard let name = piece.function?.name, !name.isEmpty, !call.name.isEmpty else { return false }
    // A call has one name.
    guard name == call.name else { return true }
    // What is not whole goes on: the name is only said again.
    guard call.isWhole else { return false }
    // Nothing but space can follow a whole object, so what follows it is another one's. Where nothing
    // does, a number says that this is the end of the same call, and no number that it is a new one.
    return piece.index == nil || piece.function?.arguments?.allSatisfy(\.isWhitespace) == false
  }

  /// What the request has cost; told once, at the end, to the entry that the answer has become.
  ///
  /// Where the server does not say what was written, its pieces are counted: too little, but a cap on
  /// tokens that nobody counts would never be reached.
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

  /// Checks that what came is an answer.
  /// - Parameter bound: The most tokens that were asked for.
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
    // Where the agent's own bound has cut the call off, that is what ends the turn.
    if isCallRequired, !hasCalls, bound == nil || finishReason != "length" {
      throw .invalidStreamData("it does not call a tool, though a call was required")
    }
  }
}
