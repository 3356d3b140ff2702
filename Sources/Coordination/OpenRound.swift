import Transcripts

/// A round of calls that do not all have outputs yet.
struct OpenRound: Sendable {
  /// The agent that made the calls.
  let agent: String
  /// The calls without outputs, in order, whatever became of the history.
  private(set) var open: [Transcript.ToolCall]
  /// The calls that a cap refused.
  private let refused: Set<String>
  /// The calls that have returned the same too often.
  private let repeated: Set<String>
  /// The calls that may run.
  private let admitted: Set<String>

  /// The results of calls that must wait for the outputs of earlier calls.
  private var early: [String: (segments: [Transcript.Segment], bytes: Int)] = [:]
  /// The most bytes of early results, which a worker that continues the round is sent all at once.
  static let maximumEarlyBytes = 4 << 20

  /// The calls that a person was asked about, and had not decided, when the worker was gone.
  ///
  /// No other worker has asked since, so their tools have not run.
  var undecided: Set<String> = []

  /// Opens a round.
  /// - Parameters:
  ///   - admitted: How many of the calls may be made, counted from the first.
  ///   - repeated: The positions of the calls that are not repeated.
  init(_ calls: Transcript.ToolCalls, of agent: String, admitted: Int, repeated: [Int]) {
    self.agent = agent
    open = Array(calls)
    refused = Set(calls.dropFirst(admitted).map(\.id))
    self.repeated = Set(repeated.map { calls[$0].id })
    // By position: when a model gives two calls one identity, one may be refused and the other not.
    self.admitted = Set(
      calls.enumerated().prefix(admitted).filter { !repeated.contains($0.offset) }.map(\.element.id)
    )
  }

  /// The identities of the calls without outputs.
  var calls: [String] { open.map(\.id) }

  /// Whether a call is open.
  func isOpen(_ call: String) -> Bool { open.contains { $0.id == call } }

  /// Whether a call is open and admitted.
  func mayRun(_ call: String) -> Bool { isOpen(call) && admitted.contains(call) }

  /// Returns an open and admitted call, also where the history no longer has it.
  func callThatMayRun(_ call: String) -> Transcript.ToolCall? {
    guard mayRun(call) else { return nil }
    return open.first { $0.id == call }
  }

  /// Returns the running tools in the order of the calls; one that waits for a person does not run.
  /// - Parameter approvals: The questions asked about calls, with their answers.
  func running(_ approvals: [String: ApprovalQuestion]) -> [String] {
    open.filter { call in
      mayRun(call.id) && early[call.id] == nil
        && approvals[call.id].map { $0.answer == .approved } ?? true
    }
    .map(\.toolName)
  }

  /// Accepts the result of a call while earlier calls still run.
  /// - Returns: Whether there was room: a worker can be sent only so much.
  mutating func keepEarly(_ output: Transcript.ToolOutput, bytes: Int) -> Bool {
    let held = early.values.reduce(0) { $0 + $1.bytes }
    guard mayRun(output.id), early[output.id] == nil, held + bytes <= Self.maximumEarlyBytes
    else { return false }
    early[output.id] = (output.segments, bytes)
    return true
  }

  mutating func close(_ call: String) {
    early[call] = nil
    if let index = open.firstIndex(where: { $0.id == call }) { open.remove(at: index) }
  }

  /// Returns how far each call has come, for a worker that continues them.
  /// - Parameter approvals: The questions asked about calls, with their answers.
  func progress(_ approvals: [String: ApprovalQuestion]) -> [String: CallProgress] {
    Dictionary(
      calls.map { call in
        if let early = early[call] { return (call, .returned(early.segments)) }
        if refused.contains(call) { return (call, .refused) }
        if repeated.contains(call) { return (call, .repeated) }
        // The tool waits for approval, and a denial keeps it from running.
        if let asked = approvals[call], asked.answer != .approved { return (call, .notRun) }
        if undecided.contains(call) { return (call, .notRun) }
        return (call, .perhapsRun)
      }
    ) { $1 }
  }
}

/// A question to a person about a call in this turn.
struct ApprovalQuestion: Sendable {
  /// The task that waits for the answer.
  let asking: Task<Approval, any Error>
  /// The answer; `nil` while nobody has answered.
  var answer: Approval?
}
