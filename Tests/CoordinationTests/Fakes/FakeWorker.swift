import AgentKit
import Coordination
import Synchronization
import Wire

/// An in-process worker that follows a script and speaks the real protocol.
final class FakeWorker: WorkerLink {
  /// A request whose answer a worker waits for.
  enum Question: Hashable, Sendable {
    case admission
    case recording(String)
    case state
    case approval(String)
    case baton(String)
    case friend(String)
  }

  private struct Waiting {
    /// The turn whose cancellation ends the wait; `nil` if cancellation does not end it.
    let turn: Int?
    let matches: @Sendable (ToWorker) -> Bool
    let continuation: CheckedContinuation<ToWorker?, Never>
  }

  private struct State {
    var mailbox: [ToWorker] = []
    var heard: [ToWorker] = []
    var waiting: [Waiting] = []
    var asked: [Question: Int] = [:]
    var entries: [Transcript.Entry] = []
    var unfinishedCalls: [Transcript.ToolCall] = []
    var properties: [String: String] = [:]
    var cancelled: Set<Int> = []
    var hasEnded = false
    var isStuck = false
    var lingers: Signal?
    var wasRetired = false
    var wasKilled = false
    var refusals: [String] = []
    var repeated: [[Int]] = []
    var fit: ContextFit? = ContextFit(tokens: 0, window: 0)
    var measured: [TurnOrder] = []
    var requests = 0
  }

  let agent: LaunchableAgent
  let run: RunID
  let pid: Int32
  let host: String?
  let log: String
  let memory: Int? = 4096
  let progress: WorkProgress? = nil
  let events: AsyncStream<WorkerEvent>
  private let continuation: AsyncStream<WorkerEvent>.Continuation
  private let state = Mutex(State())

  init(_ agent: LaunchableAgent, run: RunID, pid: Int32, host: String? = nil) {
    self.agent = agent
    self.run = run
    self.pid = pid
    self.host = host
    log = "\(run).log"
    (events, continuation) = AsyncStream.makeStream()
  }

  /// All messages it received, in order.
  var heard: [ToWorker] { state.withLock { $0.heard } }
  var orders: [TurnOrder] {
    heard.compactMap { if case .turn(let order) = $0 { order } else { nil } }
  }
  /// The transcript as this worker knows it.
  var entries: [Transcript.Entry] { state.withLock { $0.entries } }
  /// The calls of its turn that have no outputs yet, whatever became of the history.
  var unfinishedCalls: [Transcript.ToolCall] { state.withLock { $0.unfinishedCalls } }
  /// The session properties as this worker knows them.
  var properties: [String: String] { state.withLock { $0.properties } }
  var asked: [Question: Int] { state.withLock { $0.asked } }
  /// How many requests it has made.
  var requests: Int { state.withLock { $0.requests } }
  var hasEnded: Bool { state.withLock { $0.hasEnded } }
  var wasRetired: Bool { state.withLock { $0.wasRetired } }
  var wasKilled: Bool { state.withLock { $0.wasKilled } }

  /// The reasons for every refused baton pass.
  var refusals: [String] { state.withLock { $0.refusals } }
  /// For each recorded entry, the indices of the calls that were rejected as repetitions.
  var repeated: [[Int]] { state.withLock { $0.repeated } }
  /// The orders it was asked to measure.
  var measured: [TurnOrder] { state.withLock { $0.measured } }

  // MARK: What the coordinator does

  func send(_ message: ToWorker) throws {
    // Sent through the codec, to catch anything that cannot cross a pipe.
    var decoder = MessageDecoder<ToWorker>()
    for frame in try MessageEncoder().frames(of: message) { decoder.append(frame.bytes) }
    guard let message = try decoder.next() else { return }
    if case .fit(let id, let order) = message {
      let fit = state.withLock { state in
        state.measured.append(order)
        return state.fit
      }
      if let fit { try say(.fit(id: id, fit)) }
      return
    }
    if case .history(let kept, let added) = message {
      return try learn(kept: kept, added)
    }
    if case .properties(let values) = message { return learn(values) }
    let resumed = state.withLock { state -> [(Waiting, ToWorker?)] in
      state.heard.append(message)
      if case .cancel(let turn, _) = message {
        state.cancelled.insert(turn)
        let ended = state.waiting.filter { $0.turn == turn }
        state.waiting.removeAll { $0.turn == turn }
        return ended.map { ($0, nil) }
      }
      guard let index = state.waiting.firstIndex(where: { $0.matches(message) }) else {
        state.mailbox.append(message)
        return []
      }
      return [(state.waiting.remove(at: index), message)]
    }
    for (waiting, message) in resumed { waiting.continuation.resume(returning: message) }
  }

  func retire() async -> Bool {
    let (isStuck, lingers) = state.withLock { state in
      state.wasRetired = true
      return (state.isStuck, state.lingers)
    }
    await lingers?.wait()
    if !isStuck { end(.farewell(.done)) }
    return !isStuck
  }

  func kill(_ cause: Death.Cause) {
    let isStuck = state.withLock { state in
      state.wasKilled = true
      return state.isStuck || state.lingers != nil
    }
    if !isStuck { end(cause) }
  }

  // MARK: What the script does

  func say(_ message: FromWorker) throws {
    var decoder = MessageDecoder<FromWorker>()
    for frame in try MessageEncoder().frames(of: message) { decoder.append(frame.bytes) }
    guard let message = try decoder.next() else { return }
    if !hasEnded { continuation.yield(.message(message)) }
  }

  /// Repeats a message faster than any listener can keep up with.
  func repeatSaying(_ message: FromWorker, _ count: Int) {
    for _ in 0..<count { continuation.yield(.message(message)) }
  }

  /// Announces that it is ready, as every worker does first.
  func sayReady() throws {
    let model = ModelDescription(name: "fake", contextSize: 512)
    try say(.ready(Readiness(model: model)))
  }

  /// Ends the worker's life; later calls have no effect.
  func end(_ cause: Death.Cause, lastLines: [String] = []) {
    let waiting = state.withLock { state -> [Waiting]? in
      if state.hasEnded { return nil }
      state.hasEnded = true
      defer { state.waiting = [] }
      return state.waiting
    }
    guard let waiting else { return }
    continuation.yield(.ended(Death(cause: cause, lastLines: lastLines)))
    continuation.finish()
    for waiting in waiting { waiting.continuation.resume(returning: nil) }
  }

  /// Waits for a message.
  /// - Throws: `TurnCancelled` if the turn is cancelled, or `WorkerGone` if the worker has ended.
  func hear(
    in turn: Int? = nil,
    _ matches: @escaping @Sendable (ToWorker) -> Bool
  ) async throws -> ToWorker {
    let message = await withCheckedContinuation { continuation in
      let answer = state.withLock { state -> ToWorker?? in
        if let index = state.mailbox.firstIndex(where: matches) {
          return .some(state.mailbox.remove(at: index))
        }
        if state.hasEnded || turn.map(state.cancelled.contains) == true { return .some(nil) }
        state.waiting.append(Waiting(turn: turn, matches: matches, continuation: continuation))
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
    if let message { return message }
    if hasEnded { throw WorkerGone() }
    throw TurnCancelled()
  }

  /// Hangs until the worker's life is ended, ignoring all messages.
  func hang() async throws -> Never {
    _ = try await hear { _ in false }
    throw WorkerGone()
  }

  /// Sets the context fit that the worker reports from now on; `nil` makes it report none.
  func fit(_ fit: ContextFit?) { state.withLock { $0.fit = fit } }

  /// From now on it takes until a signal to end, whatever the coordinator does.
  func linger(until signal: Signal) { state.withLock { $0.lingers = signal } }

  /// From now on nothing that the coordinator does ends it.
  func stick() { state.withLock { $0.isStuck = true } }

  /// Numbers a request.
  func nextRequest() -> Int {
    state.withLock { state in
      state.requests += 1
      return state.requests
    }
  }

  func note(repeated places: [Int]) {
    state.withLock { $0.repeated.append(places) }
  }

  func note(refusal: String?) {
    if let refusal { state.withLock { $0.refusals.append(refusal) } }
  }

  func note(_ question: Question) {
    state.withLock { $0.asked[question, default: 0] += 1 }
  }

  /// Takes over the history of a turn.
  /// - Throws: `BadOrder` if a real worker would refuse the order.
  func begin(_ order: TurnOrder) throws {
    try learn(kept: order.kept, order.added)
    learn(order.properties)
    state.withLock { $0.unfinishedCalls = order.unfinishedCalls ?? $0.entries.openCalls }
  }

  private func learn(_ values: [String: String]) {
    state.withLock { $0.properties.merge(values) { $1 } }
  }

  private func learn(kept: Int, _ added: [RawEntry]) throws {
    try state.withLock { state in
      guard kept <= state.entries.count else { throw BadOrder() }
      state.entries = Array(state.entries.prefix(kept)) + added.map(\.entry)
    }
  }

  func keep(_ entry: Transcript.Entry) {
    state.withLock { state in
      state.entries.append(entry)
      switch entry {
      case .toolCalls(let calls): state.unfinishedCalls = Array(calls)
      case .toolOutput(let output):
        let index = state.unfinishedCalls.firstIndex { $0.id == output.id }
        if let index { state.unfinishedCalls.remove(at: index) }
      case .instructions, .prompt, .reasoning, .response: break
      }
    }
  }

  func keep(history: [Transcript.Entry]) {
    state.withLock { $0.entries = history }
  }
}

struct WorkerGone: Error {}
struct TurnCancelled: Error {}
struct BadOrder: Error {}
