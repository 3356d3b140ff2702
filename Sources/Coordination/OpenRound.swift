import AgentKit

/// A round of calls that do not all have outputs yet.
struct OpenRound: Sendable {
  /// Whose calls they are.
  let agent: String
  /// The calls without outputs, by their identities.
  private(set) var calls: [String]
  /// What is called, by the identities of the calls.
  private let tools: [String: String]
  /// Those for which a cap left nothing.
  private let refused: Set<String>
  /// Those that have returned the same too often.
  private let repeated: Set<String>
  /// Those that may be made.
  private let admitted: Set<String>

  /// What calls have returned that have no outputs yet because those before them have none.
  private var early: [String: (segments: [Transcript.Segment], bytes: Int)] = [:]
  /// A worker that goes on with the round is told of all at once, beside much else.
  static let maximumEarlyBytes = 4 << 20

  /// Those about which somebody was asked and had not decided when the worker was gone, and no other has
  /// asked since: their tools have not run.
  var undecided: Set<String> = []

  /// - Parameters:
  ///   - admitted: How many of the calls may be made, counted from the first.
  ///   - repeated: The places of those that are not made again.
  init(_ calls: Transcript.ToolCalls, of agent: String, admitted: Int, repeated: [Int]) {
    self.agent = agent
    self.calls = calls.map(\.id)
    tools = Dictionary(calls.map { ($0.id, $0.toolName) }) { first, _ in first }
    refused = Set(self.calls.dropFirst(admitted))
    self.repeated = Set(repeated.map { calls[$0].id })
    // By their places: an identity that a model gives twice is refused at one, and not at the other.
    self.admitted = Set(
      calls.enumerated().prefix(admitted).filter { !repeated.contains($0.offset) }.map(\.element.id)
    )
  }

  /// Whether a call is open, and one that is made.
  func mayRun(_ call: String) -> Bool { calls.contains(call) && admitted.contains(call) }

  /// The tools that run, in the order of the calls; one that waits for a person does not.
  /// - Parameter approvals: What came of asking, as far as somebody was asked.
  func running(_ approvals: [String: ApprovalQuestion]) -> [String] {
    calls.filter { call in
      mayRun(call) && early[call] == nil && approvals[call].map { $0.answer == .approved } ?? true
    }
    .compactMap { tools[$0] }
  }

  /// Takes what a call has returned while those before it still run.
  /// - Returns: Whether it is taken: only as much is as a worker can be told.
  mutating func keepEarly(_ output: Transcript.ToolOutput, bytes: Int) -> Bool {
    let held = early.values.reduce(0) { $0 + $1.bytes }
    guard mayRun(output.id), early[output.id] == nil, held + bytes <= Self.maximumEarlyBytes
    else { return false }
    early[output.id] = (output.segments, bytes)
    return true
  }

  mutating func close(_ call: String) {
    early[call] = nil
    if let index = calls.firstIndex(of: call) { calls.remove(at: index) }
  }

  /// How far each call has come, for a worker that goes on with them.
  /// - Parameter approvals: What came of asking a person, as far as one was asked.
  func progress(_ approvals: [String: ApprovalQuestion]) -> [String: CallProgress] {
    Dictionary(
      calls.map { call in
        if let early = early[call] { return (call, .returned(early.segments)) }
        if refused.contains(call) { return (call, .refused) }
        if repeated.contains(call) { return (call, .repeated) }
        // The tool waits for the approval, and a denial keeps it from running.
        if let asked = approvals[call], asked.answer != .approved { return (call, .notRun) }
        if undecided.contains(call) { return (call, .notRun) }
        return (call, .perhapsRun)
      }
    ) { $1 }
  }
}

/// A call that a person was asked about in this turn.
struct ApprovalQuestion: Sendable {
  /// Ends with the answer.
  let asking: Task<Approval, any Error>
  /// What came of it; `nil` while nobody has answered.
  var answer: Approval?
}
