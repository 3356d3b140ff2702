import Journal
import Transcripts

/// What belongs to the calls of a turn, by the entry that made them and by call.
struct TranscriptCalls {
  /// The friends that answer a call, in the order in which they began; a tool may ask several.
  private(set) var friends: [Int64: [String: [TranscriptTree]]] = [:]
  private(set) var batons: [Int64: [String: String]] = [:]
  /// The moves of the baton that no call made, because its holder was not available.
  private(set) var substitutions: [String] = []
  /// The questions to a person; if another coordinator asked again, its question counts.
  private(set) var approvals: [Int64: [String: ApprovalRecord]] = [:]

  /// - Parameter facts: The facts of the turn's transcript, in order.
  init(of turn: Int64, _ facts: [Fact], _ reader: JournalReader) async throws {
    // An identity is the model's choice and may recur in a later round: a fact is about the last
    // entry before it that makes the call.
    var makers: [String: (entry: Int64, call: Transcript.ToolCall)] = [:]
    var asked: [Int64: Int64] = [:]
    for fact in facts {
      switch fact.event {
      case .recorded(let entry, _):
        guard case .toolCalls(let calls) = entry.entry else { continue }
        for call in calls { makers[call.id] = (fact.id, call) }
      case .phoned(let call):
        guard let entry = makers[call.callID]?.entry,
          let friend = try await reader.conversation(call.conversation)
        else { continue }
        let tree = try await TranscriptTree(friend, reader)
        friends[entry, default: [:]][call.callID, default: []].append(tree)
      case .passedBaton(let pass):
        let words = "\(pass.from) → \(pass.to)"
        if let call = pass.callID {
          if let entry = makers[call]?.entry { batons[entry, default: [:]][call] = words }
        } else {
          substitutions.append(words)
        }
      case .askedApproval(let question):
        guard let made = makers[question.callID], question.isAbout(made.call) else { continue }
        asked[fact.id] = made.entry
      default: break
      }
    }
    guard !asked.isEmpty else { return }
    for record in try await reader.approvals(of: turn) {
      if let entry = asked[record.id] { approvals[entry, default: [:]][record.callID] = record }
    }
  }
}
