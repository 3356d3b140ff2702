/// The answer being written, and what has been parsed of it.
struct Answer {
  private(set) var message = GeneratedMessage()

  private let rendering: ChatRendering
  private let allowsParallelCalls: Bool
  /// Texts before which the text of the answer ends, unlike what it thinks or calls.
  private let stops: [String]
  private var isStopped = false
  private var output: OutputText
  private var lastParse: ContinuousClock.Instant?

  /// Parsing always starts at the beginning; this limits its cost for a long answer.
  private static let interval = Duration.milliseconds(40)

  init(_ plan: GenerationPlan, allowsParallelCalls: Bool, stops: [String] = []) {
    rendering = plan.rendering
    self.allowsParallelCalls = allowsParallelCalls
    self.stops = stops
    output = OutputText(stops: plan.stops)
    output.append(plan.begun)
  }

  var text: String { String(decoding: output.bytes, as: UTF8.self) }

  /// Whether nothing that the model could add belongs to the answer.
  var isOver: Bool {
    output.isStopped || isStopped || (!allowsParallelCalls && message.calls.count > 1)
  }

  mutating func append(_ piece: [UInt8]) {
    output.append(piece)
  }

  /// Parses the text so far if it is time to.
  ///
  /// - Returns: Whether the message has changed.
  mutating func update() -> Bool {
    let now = ContinuousClock.now
    if let lastParse, now - lastParse < Self.interval { return false }
    lastParse = now
    // Text that cannot be parsed yet is no fault: the next piece may complete it.
    guard var parsed = try? rendering.parse(output.settled, isPartial: true) else { return false }
    isStopped = cut(&parsed, isPartial: true)
    guard parsed != message else { return false }
    message = parsed
    return true
  }

  /// Removes what follows the end of the text, and while it grows, what may be the beginning of a
  /// stop.
  ///
  /// - Returns: Whether there was a stop.
  private func cut(_ message: inout GeneratedMessage, isPartial: Bool) -> Bool {
    guard !stops.isEmpty else { return false }
    var text = OutputText(stops: stops)
    text.append(Array(message.content.utf8))
    if text.isStopped { message.calls = [] }
    let shown = isPartial ? text.settled : text.bytes[...]
    message.content = String(decoding: shown, as: UTF8.self)
    return text.isStopped
  }

  /// Returns the final message, and whether the answer ended inside a call, which is then left out.
  ///
  /// - Parameter withoutCalls: The rendering for an answer without calls that begins like one;
  ///   `nil` where nothing else begins like a call.
  func finished(
    _ finish: GenerationResult.Finish,
    withoutCalls: () -> ChatRendering?
  ) throws(LlamaError) -> (message: GeneratedMessage, isCallCut: Bool) {
    var message = self.message
    do throws(LlamaError) {
      message = try parsed(isPartial: finish != .stop, withoutCalls: withoutCalls)
    } catch {
      // An answer that was cut is what could be read of it.
      guard finish != .stop else { throw error }
    }
    _ = cut(&message, isPartial: false)
    let count = message.calls.count
    if finish != .stop { message.calls.removeAll { !$0.isComplete } }
    let isCallCut = message.calls.count < count
    // Of a call written again and again, one was meant.
    if finish == .repetition { message.calls.removeRepeated() }
    if !allowsParallelCalls { message.calls = Array(message.calls.prefix(1)) }
    return (message, isCallCut)
  }

  private func parsed(
    isPartial: Bool,
    withoutCalls: () -> ChatRendering?
  ) throws(LlamaError) -> GeneratedMessage {
    let read = Result { () throws(LlamaError) in
      try rendering.parse(output.bytes, isPartial: isPartial)
    }
    if case .success(let message) = read, !message.calls.isEmpty { return message }
    // What merely looked like the beginning of a call would be left out or be an error.
    guard let plain = withoutCalls() else { return try read.get() }
    return try plain.parse(output.bytes, isPartial: isPartial)
  }
}
