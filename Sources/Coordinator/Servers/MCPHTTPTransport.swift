import Foundation
import MCP
import Supervision
import Synchronization
import Transcripts

/// A server behind a URL: each message is a request of its own, and the answer comes with the
/// response.
///
/// A server that is begun with `initialize` may name a session, which every later request names too.
/// Where it announces that its tools change, it is listened to on a stream of its own.
final class MCPHTTPTransport: MCPTransport {
  private struct State {
    var isClosed = false
    /// The version that was agreed on with a server that was begun with `initialize`.
    var version: ProtocolVersion?
    /// The session that it named.
    var session: String?
    /// Whether it said that it tells when its tools change.
    var announcesChanges = false
    /// What is listened to for that.
    var stream: HTTPExchange?
    /// The requests that have no whole response yet.
    var exchanges: [JSONRPCID: HTTPExchange] = [:]
    /// A message that gets no answer and is under way: no other may arrive before it.
    var notification: HTTPExchange?
    /// The messages that wait for that, in order.
    var waiting: [JSONRPCMessage] = []
    /// The bytes of messages that the reader has not taken yet.
    var waitingBytes = 0
    /// Why the connection was closed.
    var problem: String?
  }

  /// How long a server may take to accept a message that gets no answer.
  private static let notificationPatience = Duration.seconds(10)
  /// The longest pause before a server that ended its stream is listened to again, in seconds.
  private static let maximumPause = 8.0

  let events: AsyncStream<ServerProcess.Event>
  let launched = Date()
  private let continuation: AsyncStream<ServerProcess.Event>.Continuation
  private let url: String
  private let headers: [String: String]
  private let log: WorkerLog
  private let maximumWaitingBytes: Int
  private let state = Mutex(State())

  /// - Parameter maximumWaitingBytes: The most bytes that may wait to be read.
  init(
    url: String,
    headers: [String: String],
    log: WorkerLog,
    maximumWaitingBytes: Int = ServerProcess.maximumWaitingBytes
  ) {
    (self.url, self.headers, self.log) = (url, headers, log)
    self.maximumWaitingBytes = maximumWaitingBytes
    (events, continuation) = AsyncStream<ServerProcess.Event>.makeStream()
  }

  var process: ServerProcess? { nil }

  // MARK: Sending

  func send(_ message: JSONRPCMessage) {
    cancelRequest(of: message)
    let exchange = state.withLock { state -> HTTPExchange? in
      guard !state.isClosed else { return nil }
      if state.notification != nil {
        state.waiting.append(message)
        return nil
      }
      let exchange = self.exchange(for: message, state.version, state.session)
      switch message {
      case .request(let id, _): state.exchanges[id] = exchange
      case .notification, .result, .failure:
        // Servers without a handshake hear no notifications, and ask nothing that could be answered.
        guard state.version != nil else { return nil }
        state.notification = exchange
      }
      return exchange
    }
    if let exchange { start(exchange, for: message) }
  }

  /// Closes a request that a message cancels: where requests stand alone, nothing else does.
  private func cancelRequest(of message: JSONRPCMessage) {
    guard case .notification(let call) = message, call.method == "notifications/cancelled" else {
      return
    }
    let id = call.parameters?["requestId"].flatMap { JSONRPCID($0) }
    state.withLock { state in id.flatMap { state.exchanges[$0] } }?.cancel()
  }

  private func start(_ exchange: HTTPExchange, for message: JSONRPCMessage) {
    // A thread of its own, because libcurl waits; it ends with the response, or when cancelled.
    Thread.detachNewThread { [self] in
      switch message {
      case .request(let id, let call): ask(exchange, call.method, id)
      case .notification(let call) where call.method == "notifications/initialized":
        tell(exchange)
        listen()
      case .notification, .result, .failure: tell(exchange)
      }
    }
  }

  private func exchange(
    for message: JSONRPCMessage,
    _ version: ProtocolVersion?,
    _ session: String?
  ) -> HTTPExchange {
    var lines = MCPHTTPHeaders.headers(for: message, version: version, session: session)
    // What a person has named for the server takes precedence, such as a trace of their own.
    if headers.keys.contains(where: { $0.lowercased() == MCPHTTPHeaders.traceparent }) {
      lines.removeAll { $0.name == MCPHTTPHeaders.traceparent }
    }
    return HTTPExchange(
      url: url,
      headers: lines.map { "\($0.name): \($0.value)" } + ownHeaders,
      body: message.content.jsonString
    )
  }

  private var ownHeaders: [String] { headers.map { "\($0.key): \($0.value)" }.sorted() }

  /// Makes a request, and passes on what its response says.
  private func ask(_ exchange: HTTPExchange, _ method: String, _ id: JSONRPCID) {
    var isAnswered = false
    let outcome = exchange.run { message, session in
      if message["id"].flatMap({ JSONRPCID($0) }) == id, message["method"] == nil {
        isAnswered = true
        if method == "initialize" { begin(message["result"], session) }
      }
      yield(message)
    }
    let (isAwaited, isForgotten) = state.withLock { state in
      let isAwaited = state.exchanges.removeValue(forKey: id) != nil && !state.isClosed
      return (isAwaited, outcome.status == 404 && state.session != nil)
    }
    guard isAwaited else { return }
    if isForgotten { return close(because: "it no longer knows the session.") }
    // An older server answers a request that it does not expect under no identity.
    guard !isAnswered else { return }
    let problem = outcome.problem ?? "the response has no answer"
    yield(JSONRPCMessage.failure(id: id, JSONRPCError(.internalError, problem)).content)
  }

  private func begin(_ result: GeneratedContent?, _ session: String?) {
    guard let version = result?["protocolVersion"]?.text.flatMap(ProtocolVersion.init(rawValue:))
    else { return }
    let announcesChanges = result?["capabilities"]?["tools"]?["listChanged"]?.flag ?? false
    state.withLock {
      ($0.version, $0.session, $0.announcesChanges) = (version, session, announcesChanges)
    }
  }

  /// Passes on what the server tells of its own accord, until the connection ends or the server says
  /// that it has no stream for it.
  private func listen() {
    var pause = 1.0
    while let exchange = nextStream() {
      var hasHeard = false
      let outcome = exchange.run { message, _ in
        hasHeard = true
        yield(message)
      }
      // Others say that the server is not there at the moment.
      guard !(300..<500).contains(outcome.status) || outcome.status == 429 else { return }
      Thread.sleep(forTimeInterval: pause)
      pause = hasHeard ? 1 : min(2 * pause, Self.maximumPause)
    }
  }

  private func nextStream() -> HTTPExchange? {
    state.withLock { state in
      guard !state.isClosed, state.announcesChanges, let version = state.version else { return nil }
      let headers = ["Accept: text/event-stream"] + bareHeaders(version, state.session)
      state.stream = HTTPExchange(url: url, method: "GET", headers: headers, body: "")
      return state.stream
    }
  }

  /// The headers of a request that has no message.
  private func bareHeaders(_ version: ProtocolVersion, _ session: String?) -> [String] {
    let session = session.map { ["\(MCPHTTPHeaders.session): \($0)"] } ?? []
    return session + ["MCP-Protocol-Version: \(version.rawValue)"] + ownHeaders
  }

  /// Sends a message that gets no answer, and then those that have waited for it, in order.
  private func tell(_ first: HTTPExchange) {
    var next: HTTPExchange? = first
    while let exchange = next {
      run(exchange, patience: Self.notificationPatience)
      next = sendWaiting()
    }
  }

  /// Starts the requests that have waited, up to the next message that gets no answer.
  private func sendWaiting() -> HTTPExchange? {
    while true {
      let next = state.withLock { state -> (message: JSONRPCMessage, exchange: HTTPExchange)? in
        state.notification = nil
        guard !state.isClosed, !state.waiting.isEmpty else { return nil }
        let message = state.waiting.removeFirst()
        let exchange = self.exchange(for: message, state.version, state.session)
        state.notification = exchange
        if case .request(let id, _) = message { state.exchanges[id] = exchange }
        return (message, exchange)
      }
      guard let next else { return nil }
      guard case .request = next.message else {
        cancelRequest(of: next.message)
        return next.exchange
      }
      start(next.exchange, for: next.message)
    }
  }

  /// Makes a request whose response says nothing, and gives it up when that takes too long.
  private func run(_ exchange: HTTPExchange, patience: Duration) {
    // Unstructured: cancelled once the server has answered.
    let timer = Task {
      try await Task.sleep(for: patience)
      exchange.cancel()
    }
    _ = exchange.run { _, _ in }
    timer.cancel()
  }

  // MARK: Receiving

  private func yield(_ message: GeneratedContent) {
    let line = Array(message.jsonString.utf8) + [UInt8(ascii: "\n")]
    let waiting = state.withLock { state in
      state.waitingBytes += line.count
      return state.waitingBytes
    }
    guard waiting <= maximumWaitingBytes else {
      return close(because: "more than \(maximumWaitingBytes) bytes wait to be read.")
    }
    continuation.yield(.output(line))
  }

  func noteRead(_ bytes: Int) { state.withLock { $0.waitingBytes -= bytes } }

  func note(_ line: String) { log.append(Array("\(line)\n".utf8)) }

  func lastLines(_ count: Int) -> [String] {
    state.withLock { $0.problem.map { [$0] } ?? [] }
  }

  // MARK: The end

  private func close(because problem: String) {
    note("closed: \(problem)")
    state.withLock { $0.problem = problem }
    kill()
  }

  /// Ends the connection, and the session if the server has named one.
  func end(patience: Duration) async {
    let (version, session) = state.withLock { ($0.version, $0.session) }
    if let version, session != nil {
      let headers = bareHeaders(version, session)
      let exchange = HTTPExchange(url: url, method: "DELETE", headers: headers, body: "")
      await withCheckedContinuation { continuation in
        // libcurl waits, as above.
        Thread.detachNewThread { [self] in
          run(exchange, patience: patience)
          continuation.resume()
        }
      }
    }
    kill()
  }

  func kill() {
    let exchanges = state.withLock { state in
      (state.isClosed, state.waiting) = (true, [])
      return state.exchanges.values + [state.notification, state.stream].compactMap(\.self)
    }
    for exchange in exchanges { exchange.cancel() }
    continuation.yield(.ended(.code(0)))
    continuation.finish()
  }
}
