import Coordination
import Coordinator
import Hummingbird
import Transcripts

/// Follows an answer to its end, and remembers what it came to.
struct AnswerWriter<Encoder: AnswerEncoder>: Sendable {
  let answer: ModelAnswer
  let sessions: ModelSessions
  private(set) var encoder: Encoder
  private var reader: TurnReader
  private(set) var turn: Int64?
  /// What a stream has of the events that came before its head was sent.
  private var beginning = ""
  /// The calls that the client is to perform.
  private var calls: [ClientMessage.Call] = []
  private var isRecorded = false
  private let onBegin: @Sendable (Int64) -> Void

  /// - Parameter onBegin: Receives the turn of the answer.
  init(
    _ answer: ModelAnswer,
    _ sessions: ModelSessions,
    _ encoder: Encoder,
    onBegin: @escaping @Sendable (Int64) -> Void = { _ in }
  ) {
    (self.answer, self.sessions, self.encoder) = (answer, sessions, encoder)
    reader = TurnReader(
      clientTools: Set(answer.request.parameters.clientTools.map(\.name)),
      awaitsAcceptance: answer.awaitsAcceptance
    )
    self.onBegin = onBegin
  }

  /// Waits for the first event of the turn, so that what is refused is refused with a status.
  ///
  /// A prompt may wait for others for as long as it takes; then there is none yet.
  mutating func begin(within patience: Duration = .seconds(8)) async throws {
    let end = ContinuousClock.now + patience
    repeat {
      guard await answer.pump.began(within: end - .now), try await readNext() else { return }
    } while reader.awaitsAcceptance
  }

  /// Reads the event that has arrived.
  /// - Returns: Whether there was one.
  private mutating func readNext() async throws -> Bool {
    for await part in answer.pump.parts {
      switch part {
      case .tick: continue
      case .failed(let error):
        abandon()
        throw OpenAIError(error)
      case .element(let event, let written):
        beginning += text(of: event)
        written.yield()
        return true
      }
    }
    return false
  }

  /// Follows the answer, and sends it as a stream.
  @concurrent mutating func stream(to writer: inout any ResponseBodyWriter) async throws {
    try await follow { text in try await writer.write(ByteBuffer(string: text)) }
    try await writer.finish(nil)
  }

  /// Follows the answer to its end.
  mutating func complete() async throws { try await follow { _ in } }

  /// - Parameter send: Sends a piece of the stream; a client that has gone makes it fail.
  @concurrent private mutating func follow(
    _ send: @concurrent (String) async throws -> Void
  ) async throws {
    defer { if turn == nil, answer.awaitsAcceptance { abandon() } }
    var isQuiet = true
    if !beginning.isEmpty { try await send(beginning) }
    for await part in answer.pump.parts {
      switch part {
      case .element(let event, let written):
        let text = text(of: event)
        if !text.isEmpty {
          try await send(text)
          isQuiet = false
        }
        written.yield()
      case .failed(let error): try await send(text(of: reader.failed(error)))
      case .tick:
        if isQuiet, encoder.end == nil { try await send(ServerSentEvent.comment) }
        isQuiet = true
      }
    }
    try Task.checkCancellation()
    if let missing = await missingEnd { try await send(text(of: missing)) }
  }

  /// The end of an answer that waits for the client, or that a coordinator leaves to the next one.
  private var missingEnd: AnswerPart? {
    get async {
      guard encoder.end == nil else { return nil }
      if reader.isWaiting { return .ended(await answer.waitingEnd(turn)) }
      return reader.failed(
        ServiceError(.stopping, "The coordinator is stopping. The next one finishes the turn.")
      )
    }
  }

  private mutating func text(of event: TurnEvent) -> String {
    reader.read(event).map { part in text(of: part) }.joined()
  }

  private mutating func text(of part: AnswerPart) -> String {
    switch part {
    case .begun(let turn):
      self.turn = turn
      if let before = answer.takenUp { sessions.release(turn: before) }
      onBegin(turn)
      if let key = answer.source.key, case .prompt = answer.sent {
        sessions.record(turn: turn, ofKey: key)
      }
    case .clientCall(let call): calls.append(call)
    default: break
    }
    let text = encoder.encode(part).map(\.text).joined()
    // Before the client has the end: it may go on at once.
    if encoder.end != nil, !isRecorded { record() }
    return text
  }

  /// Lets what was not accepted be asked again.
  func abandon() {
    if let key = answer.source.key, !answer.isRepeated { sessions.forget(key: key) }
    if let turn = answer.takenUp { sessions.release(turn: turn) }
  }

  private mutating func record() {
    isRecorded = true
    let reason = encoder.end?.reason
    // The client goes on with a turn that waits also where the session is not kept.
    guard let turn, answer.request.isKept || reason == .waiting else { return }
    switch reason {
    case .answered, .waiting, .length, .refused:
      sessions.record(
        ClientMessage(role: .assistant, text: encoder.content, calls: calls),
        to: answer.request,
        at: TurnPlace(session: answer.session, turn: turn)
      )
    case .cancelled, .failed, nil: break
    }
  }
}
