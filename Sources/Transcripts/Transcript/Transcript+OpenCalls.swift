extension BidirectionalCollection<Transcript.Entry> {
  /// The calls since the last prompt that have no output, in order.
  package var openCalls: [Transcript.ToolCall] {
    // A model may give several calls of a round the same identity; each output belongs to one of
    // them.
    var answered: [String: Int] = [:]
    var open: [Transcript.ToolCall] = []
    for entry in reversed() {
      switch entry {
      case .toolOutput(let output): answered[output.id, default: 0] += 1
      case .toolCalls(let calls):
        open =
          calls.filter { call in
            guard let count = answered[call.id], count > 0 else { return true }
            answered[call.id] = count - 1
            return false
          } + open
      case .prompt: return open
      case .instructions, .reasoning, .response: break
      }
    }
    return open
  }
}
