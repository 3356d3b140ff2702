extension ChatFeature {
  /// Returns a chat that says the same without this.
  func replaced(in messages: [ChatMessage]) -> [ChatMessage] {
    switch self {
    case .calls: TextCalls.written(messages)
    case .callsAtOnce: messages.withCallsOneByOne
    case .laterInstructions: Array(messages.prefix(1)) + messages.dropFirst().map(\.asPrompt)
    case .instructions: messages.withInstructionsInPrompt
    case .outputWithoutCall: replacingOutputs(in: messages)
    case .leadingAnswer, .leadingCalls, .missingPrompt: messages.withLeadingPrompt
    case .promptsInRow, .answersInRow, .promptAfterCalls: replacedInRows(messages)
    }
  }

  /// Writes outputs as text where their calls are missing.
  private func replacingOutputs(in messages: [ChatMessage]) -> [ChatMessage] {
    guard let start = messages.indices.first(where: { isAt($0, in: messages) }) else {
      return messages
    }
    let outputs = messages[start...].prefix(while: \.isOutput)
    let rest = replacingOutputs(in: Array(messages[outputs.endIndex...]))
    return messages[..<start] + TextCalls.written(Array(outputs)) + rest
  }

  /// Joins messages in a row from one side, and ends calls before a prompt with an empty answer.
  private func replacedInRows(_ messages: [ChatMessage]) -> [ChatMessage] {
    var result: [ChatMessage] = []
    for message in messages {
      result.append(message)
      guard isAt(result.count - 1, in: result) else { continue }
      result.removeLast()
      if self == .promptAfterCalls {
        result += [.answer(""), message]
      } else {
        result[result.count - 1].append(message)
      }
    }
    return result
  }
}

extension ChatMessage {
  /// The message with instructions as the words of a prompt.
  fileprivate var asPrompt: ChatMessage {
    var message = self
    if isInstructions { message.role = "user" }
    return message
  }
}

extension [ChatMessage] {
  /// The chat with each call in a message of its own, before its output.
  fileprivate var withCallsOneByOne: [ChatMessage] {
    var result: [ChatMessage] = []
    var rest = self[...]
    while var message = rest.popFirst() {
      guard message.calls.count > 1 else {
        result.append(message)
        continue
      }
      var outputs = rest.prefix(while: \.isOutput)
      rest = rest.dropFirst(outputs.count)
      for call in message.calls {
        message.calls = [call]
        result.append(message)
        message = .answer("")
        if let index = outputs.firstIndex(where: { $0.callID == call.id }) {
          result.append(outputs.remove(at: index))
        }
      }
      result += outputs
    }
    return result
  }

  /// The chat with its instructions at the beginning of the first prompt.
  fileprivate var withInstructionsInPrompt: [ChatMessage] {
    guard var head = first?.asPrompt else { return self }
    var rest = self[1...]
    if let prompt = rest.first, prompt.isPrompt {
      head.append(prompt)
      rest = rest.dropFirst()
    }
    return [head] + rest
  }

  /// The chat with an empty prompt before everything but the instructions.
  fileprivate var withLeadingPrompt: [ChatMessage] {
    let head = prefix(while: \.isInstructions)
    return Array(head) + [.prompt("")] + dropFirst(head.count)
  }
}
