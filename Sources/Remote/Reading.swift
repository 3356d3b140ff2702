import AgentKit
import Curl

/// Reads one response: an event stream, a whole answer that is not streamed, or a refusal.
struct Reading {
  typealias Event = LanguageModelExecutorGenerationChannel.Event
  typealias Fault = ChatCompletionsLanguageModel.RequestError

  private enum Form { case absent, unknown, events, whole, page, refusal }

  /// The most bytes kept of a body that has to be read as a whole.
  private static let bodyLimit = 8 << 20
  /// The most bytes of an event, far above any server's chunk.
  private static let eventLimit = 1 << 20

  /// Whether nothing that may follow is part of the answer.
  private(set) var isDone = false

  private let endpoint: Endpoint
  /// The limit on tokens of the answer.
  private let bound: Int?
  private let refusal: Refusal
  private let start = ContinuousClock.now
  private var firstToken: ContinuousClock.Instant?
  private var head = ServerResponse.Head(status: 0, contentType: "")
  private var form = Form.absent
  private var stream = ServerSentEvents(limit: eventLimit, readsErrors: true)
  private var body: [UInt8] = []
  private var reply: ChatReply
  /// How often each field was left out because it is not of the expected type.
  private(set) var omitted: [String: Int] = [:]

  /// Starts reading.
  /// - Parameter sentBound: The limit on tokens of the answer that the server was sent.
  init(
    _ request: LanguageModelExecutorGenerationRequest,
    from asked: Asked,
    sentBound: Int?
  ) {
    endpoint = asked.endpoint
    let bound = request.generationOptions.maximumResponseTokens
    self.bound = bound
    refusal = Refusal(endpoint: asked.endpoint, isBounded: sentBound != nil)
    reply = ChatReply(
      origin: asked.origin,
      isStructured: request.schema != nil,
      isBoundSent: sentBound == bound
    )
  }

  mutating func take(_ part: ServerResponse.Part) throws -> [Event] {
    switch part {
    case .head(let head):
      self.head = head
      form = head.status >= 300 ? .refusal : .unknown
      return []
    case .body(let bytes):
      // Judged by its content and not by its declared type: servers send either under either name.
      if form == .unknown, let first = bytes.first(where: { !Self.isSpace($0) }) {
        form =
          switch first {
          case UInt8(ascii: "{"): .whole
          case UInt8(ascii: "<"): .page
          default: .events
          }
      }
      guard form == .events || form == .unknown else {
        body += bytes.prefix(Self.bodyLimit - body.count)
        return []
      }
      let complete: [[UInt8]]
      do throws(ServerSentEvents.TooLong) {
        complete = try stream.take(bytes)
      } catch {
        throw Fault.invalidStreamData("an event is longer than a mebibyte")
      }
      return try complete.flatMap { event in
        do {
          return try events(of: String(decoding: event, as: UTF8.self))
        } catch  where isAnswered {
          return []
        }
      }
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D) ~= byte }

  /// Whether the answer is complete, whatever follows.
  var isAnswered: Bool { form == .events && reply.isFinished && reply.isBegun }

  /// Whether anything written by a model has arrived.
  var isBegun: Bool { reply.isBegun }

  /// Returns the remaining events at the end of the response.
  mutating func finish(isCallRequired: Bool) throws -> [Event] {
    var events: [Event] = []
    switch form {
    case .absent: throw Fault.invalidStreamData("it is empty")
    case .refusal:
      throw refusal.error(head, body: body)
    case .page:
      let text = endpoint.withoutSecrets(String(decoding: body, as: UTF8.self)).prefix(200)
      throw Fault.invalidStreamData("it is a web page: \(text)")
    case .whole: events = try self.events(of: String(decoding: body, as: UTF8.self))
    case .events, .unknown:
      do {
        if !isDone, let last = stream.finish() {
          events = try self.events(of: String(decoding: last, as: UTF8.self))
        }
      } catch  where isAnswered {
        // What goes wrong behind an answer takes nothing of it along.
      } catch  where error is Fault || error is ServerSentEvents.TooLong {
        // The end of the stream cut the event off, and an incomplete answer is told as such below.
      }
    }
    // The end of the stream does not complete an answer that has not begun.
    let isComplete =
      reply.isFinished
      || (reply.finishReason == nil && (isDone || form == .whole) && reply.isBegun)
    if isComplete, let reason = reply.refusal {
      throw refusal.error(ofModel: reason)
    }
    try reply.check(isComplete: isComplete, isCallRequired: isCallRequired, within: bound)
    var metadata: [String: any ConvertibleToGeneratedContent] = [:]
    if let firstToken { metadata["secondsToFirstToken"] = (firstToken - start) / .seconds(1) }
    if let reason = reply.finishReason { metadata["finish"] = reason }
    return events + reply.finish(within: bound, isCallRequired: isCallRequired)
      + [reply.cost(metadata)]
  }

  private mutating func events(of data: String) throws -> [Event] {
    let trimmed = data.drop(while: \.isWhitespace)
    if trimmed.hasPrefix("[DONE]") {
      isDone = true
      return []
    }
    guard !isDone, !trimmed.isEmpty else { return [] }
    let chunk: ChatChunk
    do {
      chunk = try ChatChunk(json: data)
    } catch {
      let piece = endpoint.withoutSecrets(data).prefix(200)
      throw Fault.invalidStreamData(
        "part of it is not a chat completion: \(piece)"
      )
    }
    for name in chunk.omitted { omitted[name, default: 0] += 1 }
    if let problem = chunk.error { throw refusal.error(problem) }
    let events = reply.take(chunk)
    if !events.isEmpty, firstToken == nil { firstToken = .now }
    if let bound, reply.end(at: bound) { isDone = true }
    return events
  }
}
