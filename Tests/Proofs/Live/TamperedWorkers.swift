import AgentKit
import Foundation
import Supervision
import Synchronization
import Wire

/// Real workers, each of which is told broken things by a fake coordinator.
struct TamperedWorkers {
  /// How a worker ended.
  enum End: Sendable, Equatable {
    case exited(Int32)
    case signaled(Int32)
    case hung

    var name: String {
      switch self {
      case .exited(let code): "worker exited with \(code)"
      case .signaled(let signal): "worker ended by signal \(signal)"
      case .hung: "worker hung"
      }
    }
  }

  /// How many live at the same time.
  private static let atOnce = 4
  /// A worker that has been silent for this long has nothing more to say.
  private static let quiet = Duration.milliseconds(150)
  /// Loading takes a while and is silent.
  private static let loading = Duration.seconds(2)
  /// How long a worker may live without a lifeline.
  private static let patience = Duration.seconds(10)

  let plugin: String
  let seed: UInt64
  private let eventLoop: ChildEventLoop

  init(plugin: String, seed: UInt64) throws {
    self.plugin = plugin
    self.seed = seed
    eventLoop = try ChildEventLoop()
  }

  /// Checks that a stopped worker and a crashed one are noticed.
  func prove() async throws {
    guard try await end(of: 0, isHonest: true) == .exited(0) else {
      throw Broken(description: "A worker that was told nothing wrong did not end well.")
    }
    for (signal, expected) in [(SIGSTOP, End.hung), (SIGSEGV, .signaled(SIGSEGV))] {
      let end = try await end(of: 0, isHonest: true, after: signal)
      guard end == expected else {
        throw Broken(description: "Signal \(signal) to a worker was not noticed: \(end.name).")
      }
    }
  }

  func run(_ count: Int) async throws -> Tally {
    let ends = Tally()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<count {
        if index >= Self.atOnce { try await group.next() }
        group.addTask { ends.add(try await end(of: index).name) }
      }
      try await group.waitForAll()
    }
    return ends
  }

  /// - Parameter signal: What it is sent when it is ready, instead of everything else.
  private func end(
    of index: Int,
    isHonest: Bool = false,
    after signal: Int32? = nil
  ) async throws -> End {
    let talk = Talk(
      Tamperer(seed: seed &+ UInt64(index)),
      isHonest: isHonest,
      isOver: signal != nil
    )
    let launch = Launch(
      executable: Products.built.worker,
      arguments: ["--run", "tampered-\(index)"],
      environment: WorkerEnvironment.variables(of: ProcessInfo.processInfo.environment)
    )
    let pid = try await eventLoop.launch(launch) { talk.take($0) }
    talk.connect { [eventLoop] in eventLoop.write($0, to: pid) }
    let run = RunID("tampered-\(index)")
    talk.say(
      .hello(
        WorkerConfiguration(
          run: run,
          plugin: plugin,
          model: nil,
          contextSize: 512,
          silenceLimit: 30
        )
      )
    )
    while talk.end == nil {
      if signal != nil, talk.isReady { break }
      if talk.silence > (talk.isReady ? Self.quiet : Self.loading) { break }
      try await Task.sleep(for: .milliseconds(5))
    }
    if let signal {
      eventLoop.signal(signal, to: pid)
      // One thread may hear of the closed input before another hears of the signal.
      let deadline = ContinuousClock.now + Self.patience
      while talk.end == nil, Processes.facts(of: pid)?.state != "T", ContinuousClock.now < deadline
      {
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    eventLoop.closeInput(of: pid)
    let deadline = ContinuousClock.now + (signal == SIGSTOP ? .seconds(1) : Self.patience)
    while talk.end == nil, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(5))
    }
    let end = talk.end
    eventLoop.signal(SIGKILL, to: pid)
    // A trap says where it happened; the detectors' signals say nothing.
    if case .signaled? = end, signal == nil { note("stream \(index): \(talk.lastWords)") }
    return end ?? .hung
  }
}

/// What a coordinator would say to a worker, and what a broken one says instead.
private final class Talk: Sendable {
  private struct State {
    var tamperer: Tamperer
    var write: (@Sendable ([UInt8]) -> Void)?
    var scanner: PreambleScanner? = PreambleScanner()
    var decoder = MessageDecoder<FromWorker>()
    var lastNews = ContinuousClock.now
    var isReady = false
    var log: [UInt8] = []
    var end: TamperedWorkers.End?
  }

  private static let longestLog = 16 * 1024

  private let isHonest: Bool
  /// Whether nothing is said after the hello.
  private let isOver: Bool
  private let state: Mutex<State>

  init(_ tamperer: Tamperer, isHonest: Bool, isOver: Bool) {
    (self.isHonest, self.isOver) = (isHonest, isOver)
    state = Mutex(State(tamperer: tamperer))
  }

  var end: TamperedWorkers.End? { state.withLock { $0.end } }
  var isReady: Bool { state.withLock { $0.isReady } }
  var silence: Duration { state.withLock { ContinuousClock.now - $0.lastNews } }

  /// What it said before it ended, without the stack.
  var lastWords: String {
    let death = Death(cause: .exited(code: 0), lastLines: lines)
    return death.lastWords ?? "it said nothing"
  }

  private var lines: [String] {
    String(decoding: state.withLock { $0.log }, as: UTF8.self).split(separator: "\n").map(
      String.init
    )
  }

  func connect(_ write: @escaping @Sendable ([UInt8]) -> Void) {
    state.withLock { $0.write = write }
  }

  /// Sends messages, one time in four tampered with.
  func say(_ messages: ToWorker...) {
    let (write, bytes) = state.withLock { state in
      let isTampered = !isHonest && state.tamperer.chance(0.25)
      let whole = messages.flatMap { FrameBatch.bytes($0) }
      return (state.write, isTampered ? state.tamperer.bytes(of: messages) : whole)
    }
    write?(bytes)
  }

  func take(_ event: ChildEvent) -> ChildReaction {
    let messages = state.withLock { state in
      state.lastNews = .now
      switch event {
      case .exited(.code(let code)): state.end = .exited(code)
      case .exited(.signal(let signal)): state.end = .signaled(signal)
      case .error(let bytes): state.log = (state.log + bytes).suffix(Self.longestLog)
      case .outputClosed: break
      case .output(let bytes): return Self.read(bytes, &state)
      }
      return []
    }
    if !isOver { for message in messages { answer(message) } }
    return .goOn
  }

  private static func read(_ bytes: [UInt8], _ state: inout State) -> [FromWorker] {
    var rest = bytes
    if state.scanner != nil {
      guard let found = try? state.scanner?.take(bytes) else { return [] }
      state.scanner = nil
      rest = found.rest
    }
    state.decoder.append(rest)
    var messages: [FromWorker] = []
    while let message = try? state.decoder.next() { messages.append(message) }
    if messages.contains(where: { if case .ready = $0 { true } else { false } }) {
      state.isReady = true
    }
    return messages
  }

  private func answer(_ message: FromWorker) {
    switch message {
    case .ready:
      let prompt = Transcript.Prompt(segments: [.text(.init(content: "ask liar 2"))])
      let order = TurnOrder(
        turn: 7,
        kept: 0,
        added: [try? RawEntry(.prompt(prompt))].compactMap(\.self),
        properties: ["topic": "\"boats\""],
        widestWindow: 1024
      )
      say(.ping(1))
      say(.fit(id: 1, order))
      say(.turn(order), .ping(2))
    case .request(let id, _, let request):
      if let reply = reply(to: request) { say(.reply(id: id, reply)) }
    case .ended: say(.shutdown)
    default: break
    }
  }

  private func reply(to request: WorkerRequest) -> WorkerReply? {
    switch request {
    case .admission: .admission(.admitted(.go(maximumTokens: 40)))
    case .record, .recordEarly, .recordState: .recorded(AdmittedCalls(count: 2))
    case .hostTool(_, .phone): .friend(.answered("The boat"))
    case .hostTool(_, .mcp): .mcp(.returned("The boat"))
    case .hostTool(_, .approval), .hostTool(_, .passBaton), .hostTool(_, .client): nil
    }
  }
}
