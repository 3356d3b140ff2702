import AgentKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads one response: an event stream, a whole answer from a server that does not stream, or a
/// refusal.
struct Reading {
  typealias Event = LanguageModelExecutorGenerationChannel.Event
  typealias Fault = ChatCompletionsLanguageModel.RequestError

  private enum Form { case unknown, events, whole, page, refusal }

  /// The most of a body that is kept where it has to be read as a whole.
  private static let bodyLimit = 8 << 20

  /// Whether the server has said that nothing follows.
  private(set) var isDone = false

  private let endpoint: Endpoint
  private let start = ContinuousClock.now
  private var firstToken: ContinuousClock.Instant?
  private var head = ServerResponse.Head(status: 0, contentType: "", retryAfter: 0)
  private var form = Form.unknown
  private var stream = EventStream()
  private var body: [UInt8] = []
  private var reply: ChatReply

  /// - Parameter isStructured: Whether the answer is to follow a schema.
  init(endpoint: Endpoint, isStructured: Bool) {
    self.endpoint = endpoint
    reply = ChatReply(isStructured: isStructured)
  }

  mutating func take(_ part: ServerResponse.Part) throws -> [Event] {
    switch part {
    case .head(let head):
      self.head = head
      form =
        switch head.contentType {
        case _ where head.status >= 300: .refusal
        case let type where type.hasPrefix("application/json"): .whole
        case let type where type.hasPrefix("text/html"): .page
        default: .events
        }
      return []
    case .body(let bytes):
      guard form == .events else {
        body += bytes.prefix(Self.bodyLimit - body.count)
        return []
      }
      return try stream.take(bytes).flatMap { event in try events(of: event) }
    }
  }

  /// What there is to say when the response is over.
  mutating func finish(isCallRequired: Bool) throws -> [Event] {
    var events: [Event] = []
    switch form {
    case .unknown: throw Fault.invalidStreamData("there is none")
    case .refusal:
      throw Refusal(endpoint: endpoint)
        .error(status: head.status, retryAfter: head.retryAfter, body: body)
    case .page:
      let text = endpoint.withoutSecrets(String(decoding: body, as: UTF8.self)).prefix(200)
      throw Fault.invalidStreamData("it is a page for people: \(text)")
    case .whole: events = try self.events(of: String(decoding: body, as: UTF8.self))
    case .events:
      if !isDone, let last = try stream.finish() { events = try self.events(of: last) }
    }
    // That nothing follows says nothing of an answer that has not begun.
    let isComplete = reply.finishReason != nil || ((isDone || form == .whole) && reply.isBegun)
    if isComplete, let reason = reply.refusal {
      throw Refusal(endpoint: endpoint).error(ofModel: reason)
    }
    try reply.check(isComplete: isComplete, isCallRequired: isCallRequired)
    var metadata: [String: any ConvertibleToGeneratedContent] = [:]
    if let firstToken { metadata["secondsToFirstToken"] = (firstToken - start) / .seconds(1) }
    if let reason = reply.finishReason { metadata["finish"] = reason }
    return events + [reply.cost(metadata)]
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
        "a piece of it is not what chat completions are made of: \(piece)"
      )
    }
    if let problem = chunk.error { throw Refusal(endpoint: endpoint).error(problem) }
    let events = reply.take(chunk)
    if !events.isEmpty, firstToken == nil { firstToken = .now }
    return events
  }
}
