import Wire

/// The state of a worker's life.
///
/// A pure value: it decides, and its holder acts.
struct WorkerLife {
  enum State: Equatable {
    /// Waiting for the preamble.
    case silent
    /// Waiting for the greeting.
    case greeting
    /// Greeted; loading the plugin and the model.
    case loading
    /// Serving.
    case ready
    /// Has said farewell.
    case leaving(Farewell.Status)
    /// Condemned: killed for a reason that its exit status will not tell.
    case condemned(Death.Cause)
    /// Gone.
    case ended
  }

  private(set) var state = State.silent
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
      if state == .silent {
        guard let found = try scanner.take(bytes) else { return reading }
        reading.banner = found.banner
        rest = found.rest
        state = .greeting
      }
      decoder.append(rest)
      while isListening, let message = try decoder.next() {
        try accept(message)
        reading.messages.append(message)
      }
    } catch {
      reading.breach = error
      state = .condemned(.breach(error.description))
    }
    return reading
  }

  /// Whether the worker has yet to say that it can serve.
  var isLoading: Bool {
    switch state {
    case .silent, .greeting, .loading: true
    case .ready, .leaving, .condemned, .ended: false
    }
  }

  var hasGreeted: Bool { state != .silent && state != .greeting }

  private var isListening: Bool {
    switch state {
    case .silent, .greeting, .loading, .ready: true
    case .leaving, .condemned, .ended: false
    }
  }

  private mutating func accept(_ message: FromWorker) throws(WireBreach) {
    switch message {
    case .greeting(let greeting):
      try expect(message, while: .greeting)
      guard greeting.version == WireLimits.version else { throw .otherVersion(greeting.version) }
      state = .loading
    case .ready:
      try expect(message, while: .loading)
      state = .ready
    case .unable: try expect(message, while: .loading)
    case .pong, .adopted: try expect(message, while: .loading, .ready)
    case .wantsCores:
      try expect(message, while: .loading, .ready)
      // Each request costs the coordinator something until it is returned.
      guard !wantsCores else { throw .outOfTurn("cores wanted that have not been returned") }
      wantsCores = true
    case .returnsCores:
      try expect(message, while: .loading, .ready)
      wantsCores = false
    case .farewell(let farewell):
      try expect(message, while: .loading, .ready)
      state = .leaving(farewell.status)
    case .rehearsed, .admission, .takesAdmission, .admissionOfSummary, .fitted, .entry,
      .unawaitedEntry, .earlyOutput, .settle, .state, .text, .serverWait, .approval, .passBaton,
      .phone, .exhausted, .ended, .forked:
      try expect(message, while: .ready)
    }
  }

  private func expect(_ message: FromWorker, while states: State...) throws(WireBreach) {
    guard !states.contains(state) else { return }
    throw .outOfTurn("\(message.kindName) while \(state)")
  }

  /// Decides that the worker must be killed.
  ///
  /// The first reason stands.
  ///
  /// - Returns: Whether this is the first reason.
  mutating func condemn(_ cause: Death.Cause) -> Bool {
    switch state {
    case .condemned, .ended: return false
    case .silent, .greeting, .loading, .ready, .leaving:
      state = .condemned(cause)
      return true
    }
  }

  /// Returns what the end of the process means.
  ///
  /// After a farewell the exit status no longer matters: launchers return whatever they like.
  mutating func end(_ status: ExitStatus) -> Death.Cause {
    defer { state = .ended }
    switch (state, status) {
    case (.condemned(let cause), _): return cause
    case (.leaving(let farewell), _): return .farewell(farewell)
    case (_, .code(let code)): return .exited(code: code)
    case (_, .signal(let signal)): return .signaled(signal)
    }
  }
}
