import Transcripts
import Wire

// What a worker may have recorded.

extension TurnState {
  /// Checks that an output belongs to a call that has none yet, and that an answer and other calls
  /// come only when all calls have one.
  func checkPlaces(
    of entries: [RawEntry],
    _ usage: RequestUsage?,
    agent: String
  ) throws(ConversationError) {
    var open = round?.calls ?? []
    for (place, entry) in entries.enumerated() {
      switch entry.entry {
      case .toolOutput(let output):
        // A model may give several calls of a round the same identity.
        guard let index = open.firstIndex(of: output.id) else {
          throw .strayOutput(output.id, agent: agent)
        }
        open.remove(at: index)
      case .toolCalls(let calls):
        if let call = open.first { throw .missingOutput(call, agent: agent) }
        open = calls.map(\.id)
      // Without usage it is text alongside calls, and no answer.
      case .response where usage != nil && place == entries.count - 1:
        if let call = open.first { throw .missingOutput(call, agent: agent) }
      case .response, .instructions, .prompt, .reasoning: break
      }
    }
  }

  /// The most bytes of all session properties: every worker holds them, and a new one is sent all.
  static let maximumPropertyBytes = 64 << 20

  /// Checks that a change leaves the session properties within their limit; larger ones may shrink.
  func checkRoom(
    for change: [String: String],
    agent: String
  ) throws(ConversationError) {
    guard !change.isEmpty else { return }
    let bytes = properties.merging(change) { $1 }.bytes
    guard bytes > Self.maximumPropertyBytes, bytes > properties.bytes else { return }
    throw .propertiesTooLarge(agent: agent, bytes: bytes, limit: Self.maximumPropertyBytes)
  }
}

extension RawEntry {
  /// Checks that other workers can be sent the entry.
  func checkSize(agent: String) throws(ConversationError) {
    guard size > EntryLimit.bytes else { return }
    throw .entryTooLarge(agent: agent, bytes: size, limit: EntryLimit.bytes)
  }
}

extension [String: String] {
  /// The bytes of session properties.
  var bytes: Int { reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }
}
