extension BidirectionalCollection<Transcript.Entry> {
  /// The calls since the last prompt that have no output, in their order.
  package var openCalls: [Transcript.ToolCall] {
    var answered: Set<String> = []
    var open: [Transcript.ToolCall] = []
    for entry in reversed() {
      switch entry {
      case .toolOutput(let output): answered.insert(output.id)
      case .toolCalls(let calls): open = calls.filter { !answered.contains($0.id) } + open
      case .prompt: return open
      case .instructions, .reasoning, .response: break
      }
    }
    return open
  }
}
