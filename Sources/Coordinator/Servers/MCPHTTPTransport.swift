import Foundation
import MCP
import Supervision
import Synchronization
import Transcripts

/// A server behind a URL: each message is a request of its own, and the answer comes with the
/// response.
final class MCPHTTPTransport: MCPTransport {
  private struct State {
    var isClosed = false
    /// The requests that have no whole response yet.
    var exchanges: [JSONRPCID: HTTPExchange] = [:]
    /// The bytes of messages that the reader has not taken yet.
    var waitingBytes = 0
  }

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

  func send(_ message: JSONRPCMessage) {
    if case .notification(let call) = message, call.method == "notifications/cancelled" {
      // Here a request is cancelled by closing it.
      let id = call.parameters?["requestId"].flatMap { JSONRPCID($0) }
      state.withLock { state in id.flatMap { state.exchanges[$0] } }?.cancel()
      return
    }
    // A server behind a URL has no requests of its own that could be answered.
    guard case .request(let id, _) = message else { return }
    let lines = MCPHTTPHeaders.headers(for: message).map { "\($0.name): \($0.value)" }
    let own = headers.map { "\($0.key): \($0.value)" }.sorted()
    let exchange = HTTPExchange(
      url: url,
      headers: lines + own,
      body: message.content.jsonString
    )
    let isOpen = state.withLock { state in
      if !state.isClosed { state.exchanges[id] = exchange }
      return !state.isClosed
    }
    guard isOpen else { return }
    // A thread of its own, because libcurl waits; it ends with the response, or when cancelled.
    Thread.detachNewThread { [self] in
      let problem = exchange.run { yield($0) }
      let isAwaited = state.withLock { $0.exchanges.removeValue(forKey: id) != nil && !$0.isClosed }
      guard isAwaited, let problem else { return }
      yield(JSONRPCMessage.failure(id: id, JSONRPCError(.internalError, problem)).content)
    }
  }

  private func yield(_ message: GeneratedContent) {
    let line = Array(message.jsonString.utf8) + [UInt8(ascii: "\n")]
    let waiting = state.withLock { state in
      state.waitingBytes += line.count
      return state.waitingBytes
    }
    guard waiting <= maximumWaitingBytes else {
      note("closed, because more than \(maximumWaitingBytes) bytes wait to be read")
      return kill()
    }
    continuation.yield(.output(line))
  }

  func noteRead(_ bytes: Int) { state.withLock { $0.waitingBytes -= bytes } }

  func note(_ line: String) { log.append(Array("\(line)\n".utf8)) }

  func lastLines(_ count: Int) -> [String] { [] }

  func end(patience: Duration) async { kill() }

  func kill() {
    let exchanges = state.withLock { state in
      state.isClosed = true
      return state.exchanges.values.map { $0 }
    }
    for exchange in exchanges { exchange.cancel() }
    continuation.yield(.ended(.code(0)))
    continuation.finish()
  }
}
