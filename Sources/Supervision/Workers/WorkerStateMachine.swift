import Wire

/// The state of a worker's connection, from its preamble to its exit.
///
/// A pure value: it decides, and `WorkerConnection` acts.
struct WorkerStateMachine {
  enum State: Equatable {
    case awaitingPreamble
    case awaitingGreeting
    /// Greeted; loading the plugin and the model.
    case loading
    /// Serving.
    case ready
    /// Has sent its farewell.
    case leaving(Farewell)
    /// Being killed for a reason that its exit status does not show.
    case terminating(Death.Cause)
    /// Has exited.
    case ended
  }

  private(set) var state = State.awaitingPreamble
  private var scanner = PreambleScanner()
  private var decoder = MessageDecoder<FromWorker>()
  /// Whether it has asked for cores and not returned them.
  private var wantsCores = false

  /// What a worker's standard output contained.
  struct Reading {
    var banner: [UInt8] = []
    var messages: [FromWorker] = []
    var breach: WireBreach?
  }

  mutating func read(_ bytes: [UInt8]) -> Reading {
    var reading = Reading()
    guard isListening else { return reading }
    do throws(WireBreach) {
      var rest = bytes
      if state == .awaitingPreamble {
        guard let found = try scanner.take(bytes) else { return reading }
        reading.banner = found.banner
        rest = found.rest
        state = .awaitingGreeting
      }
      decoder.append(rest)
      while isListening, let message = try decoder.next() {
        try accept(message)
        reading.messages.append(message)
      }
    } catch {
      reading.breach = error
      state = .terminating(.breach(error.description))
    }
    return reading
  }

  /// Whether the worker has not yet reported that it is ready.
  var isLoading: Bool {
    switch state {
    case .awaitingPreamble, .awaitingGreeting, .loading: true
    case .ready, .leaving, .terminating, .ended: false
    }
  }

  var hasGreeted: Bool { state != .awaitingPreamble && state != .awaitingGreeting }

  private var isListening: Bool {
    switch state {
    case .awaitingPreamble, .awaitingGreeting, .loading, .ready: true
    case .leaving, .terminating, .ended: false
    }
  }

  private mutating func accept(_ message: FromWorker) throws(WireBreach) {
    switch message {
    case .greeting(let greeting):
      try expect(message, while: .awaitingGreeting)
      guard greeting.version == WireLimits.version else { throw .otherVersion(greeting.version) }
      state = .loading
    case .ready:
      try expect(message, while: .loading)
      state = .ready
    case .unable: try expect(message, while: .loading)
    case .pong, .adopted, .progress: try expect(message, while: .loading, .ready)
    case .wantsCores:
      try expect(message, while: .loading, .ready)
      guard !wantsCores else { throw .outOfTurn("cores wanted that have not been returned") }
      wantsCores = true
    case .returnsCores:
      try expect(message, while: .loading, .ready)
      wantsCores = false
    case .farewell(let farewell):
      try expect(message, while: .loading, .ready)
      state = .leaving(farewell)
    case .rehearsed, .request, .unusedAdmission, .text, .serverWait, .fit, .exhausted, .prompt,
      .ended, .forked:
      try expect(message, while: .ready)
    }
  }

  private func expect(_ message: FromWorker, while states: State...) throws(WireBreach) {
    guard !states.contains(state) else { return }
    throw .outOfTurn("\(message.kindName) while \(state)")
  }

  /// Records that the worker must be killed; the first reason stands.
  ///
  /// - Returns: Whether this is the first reason.
  mutating func terminate(reason: Death.Cause) -> Bool {
    switch state {
    case .terminating, .ended: return false
    case .awaitingPreamble, .awaitingGreeting, .loading, .ready, .leaving:
      state = .terminating(reason)
      return true
    }
  }

  /// Returns what the end of the process means.
  ///
  /// After a farewell the exit status no longer matters: launchers have statuses of their own.
  mutating func end(_ status: ExitStatus) -> Death.Cause {
    defer { state = .ended }
    switch (state, status) {
    case (.terminating(let cause), _): return cause
    case (.leaving(let farewell), _): return .farewell(farewell)
    case (_, .code(let code)): return .exited(code: code)
    case (_, .signal(let signal)): return .signaled(signal)
    }
  }
}
