/// Something in a chat that not every template supports, and what is written instead of it.
///
/// The cases are in the order in which a chat is adapted: what is written for one of them may
/// contain a later one.
enum ChatFeature: Int, CaseIterable, Sendable {
  /// Calls, and outputs in messages of their own.
  case calls
  /// Several calls in one message.
  case callsAtOnce
  case instructions
  /// Instructions after the beginning.
  case laterInstructions
  /// An output whose call is missing, as where a longer chat was cut.
  case outputWithoutCall
  /// An answer before any prompt.
  case leadingAnswer
  /// Calls before any prompt.
  case leadingCalls
  /// A chat without any prompt.
  case missingPrompt
  case promptsInRow
  case answersInRow
  /// A prompt after calls that no answer followed.
  case promptAfterCalls

  func isIn(_ messages: [ChatMessage]) -> Bool {
    switch self {
    case .calls: messages.contains(where: \.isOfCalls)
    case .callsAtOnce: messages.contains { $0.calls.count > 1 }
    case .laterInstructions: messages.dropFirst().contains(where: \.isInstructions)
    case .instructions: messages.first?.isInstructions ?? false
    // Some templates count no calls.
    case .leadingAnswer: messages.first { !$0.isInstructions && !$0.isOfCalls }?.isAnswer ?? false
    case .leadingCalls: messages.afterInstructions?.calls.isEmpty == false
    case .missingPrompt: messages.afterInstructions != nil && !messages.contains(where: \.isPrompt)
    case .outputWithoutCall, .promptsInRow, .answersInRow, .promptAfterCalls:
      messages.indices.contains { isAt($0, in: messages) }
    }
  }

  /// Returns whether the message at an index, after the one before it, is what this is about.
  func isAt(_ index: Int, in messages: [ChatMessage]) -> Bool {
    guard index > 0 else { return self == .outputWithoutCall && messages[index].isOutput }
    let (before, message) = (messages[index - 1], messages[index])
    return switch self {
    case .outputWithoutCall: message.isOutput && !before.isOfCalls
    case .promptsInRow: before.isPrompt && message.isPrompt
    case .answersInRow: before.isAnswer && message.isAnswer
    case .promptAfterCalls:
      before.isOfCalls && message.isPrompt
        && messages[..<index].last { !$0.isOfCalls }?.isPrompt ?? false
    default: false
    }
  }

  /// A chat with nothing unusual but this, and the texts that the model must be shown of it.
  var example: (messages: [ChatMessage], texts: [String]) {
    let call = ChatMessage.Call(id: "call00000", name: "first", arguments: #"{"one":"alpha"}"#)
    let other = ChatMessage.Call(id: "call00001", name: "second", arguments: #"{"two":"beta"}"#)
    let ask = ChatMessage.prompt("Ask.")
    let round = [ChatMessage.calls(call), .output("gamma", of: call)]
    let shown = ["first", "one", "alpha", "gamma"]
    return switch self {
    case .calls: ([ask] + round, shown)
    case .callsAtOnce:
      (
        [ask, .calls(call, other), .output("gamma", of: call), .output("delta", of: other)],
        shown + ["second", "two", "beta", "delta"]
      )
    case .laterInstructions:
      (
        [.instructions("alpha"), ask, .answer("So."), .instructions("beta"), ask],
        ["alpha", "beta"]
      )
    case .instructions: ([.instructions("alpha"), ask], ["alpha"])
    case .outputWithoutCall: ([.instructions("Do."), .output("gamma", of: call), ask], ["gamma"])
    case .leadingAnswer: ([.instructions("Do."), .answer("alpha"), ask], ["alpha"])
    case .leadingCalls: ([.instructions("Do.")] + round + [ask], shown)
    case .missingPrompt: (round, shown)
    case .promptsInRow: ([.prompt("alpha"), .prompt("beta")], ["alpha", "beta"])
    case .answersInRow: ([ask, .answer("alpha"), .answer("beta"), ask], ["alpha", "beta"])
    case .promptAfterCalls: ([ask] + round + [.prompt("beta")], shown + ["beta"])
    }
  }
}

extension [ChatMessage] {
  fileprivate var afterInstructions: ChatMessage? { first { !$0.isInstructions } }
}
