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

  /// A call, as far as its pieces have come.
  private struct Call {
    /// What the server calls it; empty where it calls it nothing.
    let serverID: String
    let id: String
    let index: Int?
    var name = ""
    /// Arguments that came before the name.
    var waiting = ""
    var isSent = false
  }

  private let reasoningID = UUID().uuidString
  private let responseID = UUID().uuidString
  private let callsID = UUID().uuidString
  private var calls: [Call] = []
  private var usage: ChatChunk.Usage?
  private var hasText = false
  private(set) var finishReason: String?

  var hasCalls: Bool { !calls.isEmpty }
  /// Whether anything at all has come that a model wrote.
  var isBegun: Bool { hasText || hasCalls }

  /// Takes a chunk; returns what is new in it, in the order in which a model writes.
  mutating func take(_ chunk: ChatChunk) -> [Channel.Event] {
    usage = chunk.usage ?? usage
    finishReason = chunk.finishReason ?? finishReason
    guard let message = chunk.message else { return [] }
    var events: [Channel.Event] = []
    if let text = message.reasoning, !text.isEmpty {
      hasText = true
      let action = Channel.Reasoning.Action.appendText(text, tokenCount: 0)
      events.append(.reasoning(entryID: reasoningID, action: action))
    }
    // Some send why they refuse in a field of its own; it is the answer all the same.
    for text in [message.content, message.refusal].compactMap({ $0 }) where !text.isEmpty {
      hasText = true
      let action = Channel.Response.Action.appendText(text, tokenCount: 0)
      events.append(.response(entryID: responseID, action: action))
    }
    for piece in message.calls ?? [] { events += take(piece) }
    return events
  }

  private mutating func take(_ piece: ChatChunk.Call) -> [Channel.Event] {
    let place = place(of: piece)
    if calls[place].name.isEmpty { calls[place].name = piece.function?.name ?? "" }
    calls[place].waiting += piece.function?.arguments ?? ""
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
    let known = calls.lastIndex { call in
      let isSameName = named.isEmpty || named == call.serverID
      return isSameName && (piece.index == nil || piece.index == call.index)
    }
    if let known { return known }
    let isFree = !named.isEmpty && !calls.contains { $0.id == named }
    let id = isFree ? named : UUID().uuidString
    calls.append(Call(serverID: named, id: id, index: piece.index))
    return calls.count - 1
  }

  /// What the request has cost; told once, at the end, to the entry that the answer has become.
  func cost(_ metadata: [String: any ConvertibleToGeneratedContent]) -> Channel.Event {
    let input = LanguageModelSession.Usage.Input(
      totalTokenCount: usage?.prompt ?? 0,
      cachedTokenCount: usage?.promptDetails?.cached ?? 0
    )
    let output = LanguageModelSession.Usage.Output(
      totalTokenCount: usage?.completion ?? 0,
      reasoningTokenCount: usage?.completionDetails?.reasoning ?? 0
    )
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
  func check(isComplete: Bool, isCallRequired: Bool) throws(Fault) {
    guard isComplete else {
      throw .invalidStreamData("it broke off\(isBegun ? " in the middle" : " before it began")")
    }
    if calls.contains(where: { !$0.isSent }) {
      throw .invalidStreamData("it calls a tool without saying which")
    }
    if isCallRequired, !hasCalls {
      throw .invalidStreamData("it calls no tool, though a call was required")
    }
  }
}
