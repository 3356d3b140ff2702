import Journal
import Transcripts

/// A round of calls that do not all have outputs yet.
struct OpenRound: Sendable, Equatable {
  /// The agent that made the calls.
  let agent: String
  /// Which of the calls may be made.
  let admission: Admission
  /// The fact with the calls.
  private let fact: Int64
  /// The indices of the calls in it, by identity.
  private let indices: [String: Int]
  /// The calls without outputs, in order, whatever became of the history.
  private(set) var open: [Transcript.ToolCall]
  /// The identities of the calls that a cap refused.
  private let refused: Set<String>
  /// The identities of the calls that have returned the same too often.
  private let repeated: Set<String>
  /// The identities of the calls that may run.
  private let admitted: Set<String>
  /// The results of calls that must wait for the outputs of earlier calls.
  private var early: [String: EarlyResult] = [:]
  /// What a person was asked, by call.
  private var approvals: [String: AskedApproval] = [:]
  /// The calls whose tools' code waits for a person, by question.
  private var requests: [Int64: String] = [:]
  /// What the client performs.
  private(set) var client = ClientCalls()

  /// The most bytes of early results, which a worker that continues the round is sent all at once.
  static let maximumEarlyBytes = 4 << 20

  /// Which calls of a round may be made.
  struct Admission: Sendable, Equatable {
    /// How many, counted from the first.
    var count: Int
    /// The positions of those that are not repeated.
    var repeated: [Int]
  }

  private struct EarlyResult: Sendable, Equatable {
    let segments: [Transcript.Segment]
    let bytes: Int
  }

  init(_ calls: Transcript.ToolCalls, of agent: String, _ admission: Admission, fact: Int64) {
    self.agent = agent
    self.admission = admission
    self.fact = fact
    indices = Dictionary(calls.enumerated().map { ($1.id, $0) }) { first, _ in first }
    open = Array(calls)
    refused = Set(calls.dropFirst(admission.count).map(\.id))
    repeated = Set(admission.repeated.map { calls[$0].id })
    // By position: when a model gives two calls one identity, one may be refused and the other not.
    admitted = Set(
      calls.enumerated().prefix(admission.count)
        .filter { !admission.repeated.contains($0.offset) }.map(\.element.id)
    )
  }

  /// The identities of the calls without outputs.
  var calls: [String] { open.map(\.id) }

  /// Returns an open and admitted call, also where the history no longer has it.
  func callThatMayRun(_ call: String) -> Transcript.ToolCall? {
    guard admitted.contains(call) else { return nil }
    return open.first { $0.id == call }
  }

  /// Whether a call is open and admitted.
  func mayRun(_ call: String) -> Bool { callThatMayRun(call) != nil }

  func place(of call: String) -> CallPlace? {
    indices[call].map { CallPlace(fact: fact, index: $0) }
  }

  /// The tools that are running, in the order of the calls; one that waits for a person does not,
  /// nor do those of the client.
  var running: [String] {
    open.filter { call in
      mayRun(call.id) && early[call.id] == nil && !client.isAsked(call.id)
        && approvals[call.id].map(\.isApproved) ?? true
    }
    .map(\.toolName)
  }

  /// Whether the tool of an open call may have run.
  var mayHaveRun: Bool {
    open.contains { call in
      switch progress(of: call.id) {
      case .perhapsRun, .returned: true
      case .refused, .repeated, .notRun: false
      }
    }
  }

  /// How far each call has come, for a worker that continues them.
  var progress: [String: CallProgress] {
    Dictionary(calls.map { ($0, progress(of: $0)) }) { $1 }
  }

  private func progress(of call: String) -> CallProgress {
    if let early = early[call] { return .returned(early.segments) }
    if refused.contains(call) { return .refused }
    if repeated.contains(call) { return .repeated }
    // The tool waits for the approval, and a denial keeps it from running.
    if let asked = approvals[call], !asked.isDelivered { return .notRun }
    return .perhapsRun
  }

  // MARK: Outputs

  /// Whether there is room for the result of a call while earlier calls still run: a worker can be
  /// sent only so much.
  func hasRoom(for output: Transcript.ToolOutput, bytes: Int) -> Bool {
    let used = early.values.reduce(0) { $0 + $1.bytes }
    return mayRun(output.id) && early[output.id] == nil && used + bytes <= Self.maximumEarlyBytes
  }

  mutating func recordEarly(_ output: Transcript.ToolOutput, bytes: Int) {
    guard hasRoom(for: output, bytes: bytes) else { return }
    early[output.id] = EarlyResult(segments: output.segments, bytes: bytes)
  }

  /// Closes a call that has its output.
  mutating func close(_ call: String) {
    early[call] = nil
    approvals[call] = nil
    requests = requests.filter { $0.value != call }
    client.close(call)
    if let index = open.firstIndex(where: { $0.id == call }) { open.remove(at: index) }
  }

  // MARK: The client

  mutating func askClient(_ calls: [String]) { client.ask(calls.filter(mayRun)) }

  mutating func answerForClient(_ outputs: [ClientToolOutput], request: String?) {
    client.answer(outputs, request: request)
  }

  // MARK: Approvals

  /// Whether a call waits for a person.
  var isAsking: Bool { !requests.isEmpty || approvals.values.contains { $0.decision == nil } }

  /// Whether a call of the round is asked about and not decided.
  var hasUndecided: Bool {
    requests.values.contains(where: isOpen)
      || approvals.contains { isOpen($0.key) && $0.value.decision == nil }
  }

  private func isOpen(_ call: String) -> Bool { open.contains { $0.id == call } }

  func approval(of call: String) -> AskedApproval? { approvals[call] }

  /// The call of a question.
  func call(of question: Int64) -> String? {
    approvals.first { $0.value.question == question }?.key
  }

  /// - Parameter question: Whether a call may be made, or what its tool's code wants to do; what its
  ///   server wants to know, another coordinator could not tell that server any more.
  mutating func ask(_ question: ApprovalQuestion, number: Int64) {
    guard question.form == nil, let call = open.first(where: { $0.id == question.callID }) else {
      return
    }
    guard question.isAbout(call) else { return requests[number] = call.id }
    // Asked again, a call that was once approved may have run all the same.
    let wasDelivered = approvals[question.callID]?.isDelivered ?? false
    approvals[question.callID] = AskedApproval(question: number, isDelivered: wasDelivered)
  }

  mutating func decide(_ question: Int64, _ decision: ApprovalDecision) {
    // What no one has decided is asked again.
    guard decision.by != .unanswered else { return }
    requests[question] = nil
    guard let call = call(of: question) else { return }
    approvals[call]?.decide(decision)
  }

  mutating func deliverApproval(of call: String) { approvals[call]?.deliver() }

  /// Notes that the worker of the round is gone: it learns of no decision that is still to come.
  mutating func loseWorker() {
    for call in approvals.keys { approvals[call]?.isAwaited = false }
  }

  /// Forgets what was approved elsewhere, where the calls may have run.
  mutating func distrustApprovals() {
    approvals = approvals.filter { !$0.value.isApproved }
  }
}

/// A question to a person about a call.
struct AskedApproval: Sendable, Equatable {
  /// The number of the question.
  let question: Int64
  /// Whether the worker that asked waits for the decision.
  var isAwaited = true
  private(set) var decision: ApprovalDecision?
  /// Whether a worker may have learned that the call is approved.
  private(set) var isDelivered: Bool

  init(question: Int64, isDelivered: Bool) {
    (self.question, self.isDelivered) = (question, isDelivered)
  }

  var isApproved: Bool { decision.map { $0.denial == nil } ?? false }

  mutating func decide(_ decision: ApprovalDecision) {
    self.decision = decision
    if isAwaited { deliver() }
  }

  mutating func deliver() { isDelivered = isDelivered || isApproved }
}
