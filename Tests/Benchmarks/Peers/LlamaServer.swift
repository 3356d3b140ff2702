import Foundation
import Supervision
import Synchronization

/// llama-server of the same build of llama.cpp, on a port of this machine.
struct LlamaServer: Sendable {
  /// The result of one request.
  struct Reply: Sendable {
    /// The time from the request to the first words of the answer.
    var firstWords = Duration.zero
    /// The time from the request to the end of the answer.
    var whole = Duration.zero
    var text = ""
    /// The prompt's tokens that the server already held, and those that it computed.
    var cached = 0
    var computed = 0
    var generated = 0
  }

  /// How a server is started.
  struct Setting {
    var contextSize = 4096
    var slots = 1
    /// As many as a worker that runs alone.
    var threads = Machine.cores()
    /// The megabytes for the states of prompts that have left their slot.
    var cacheMegabytes = 0
  }

  private let process: Process
  private let port: UInt16

  /// Runs a server for the duration of the body.
  static func run(
    _ fixtures: Fixtures,
    _ setting: Setting = Setting(),
    _ body: (LlamaServer) async throws -> Void
  ) async throws {
    let server = try await LlamaServer(fixtures, setting)
    defer { server.end() }
    try await body(server)
  }

  private static let running = Mutex<Set<Int32>>([])

  /// Ends all servers, when this program is ended before it has ended them.
  static func endAll() {
    for pid in running.withLock({ $0 }) { kill(pid, SIGKILL) }
  }

  private func end() {
    let pid = process.processIdentifier
    // SIGKILL, because the server inherited a mask that blocks every signal from the thread that
    // started it.
    kill(pid, SIGKILL)
    process.waitUntilExit()
    Self.running.withLock { _ = $0.remove(pid) }
  }

  private init(_ fixtures: Fixtures, _ setting: Setting) async throws {
    port = try LocalSocket.freePort()
    process = Process()
    process.executableURL = URL(filePath: fixtures.peers + "/llama-server")
    process.arguments = [
      "--model", fixtures.model, "--ctx-size", "\(setting.contextSize)",
      "--parallel", "\(setting.slots)", "--threads", "\(setting.threads)",
      "--threads-batch", "\(setting.threads)", "--cache-ram", "\(setting.cacheMegabytes)",
      "--host", "127.0.0.1", "--port", "\(port)", "--no-webui",
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    let pid = process.processIdentifier
    Self.running.withLock { _ = $0.insert(pid) }
    for _ in 0..<600 where process.isRunning {
      let status = try? LocalSocket.request(port, "GET /health HTTP/1.0\r\n\r\n") { _ in }
      if status == 200 { return }
      try await Task.sleep(for: .milliseconds(100))
    }
    end()
    throw NotReady(arguments: process.arguments ?? [])
  }

  /// Asks for an answer of at most this many tokens and reads it as it arrives.
  func answer(_ chat: Chat, tokens: Int) async throws -> Reply {
    let body = chat.body(tokens: tokens)
    let head =
      "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    let port = port
    return try await withCheckedThrowingContinuation { continuation in
      // A separate thread, because it blocks.
      Thread.detachNewThread {
        continuation.resume(with: Result { try Self.read(port, head + body) })
      }
    }
  }

  /// Waits until the server's threads have stopped spinning.
  ///
  /// They spin for tenths of a second after each answer, which would leave the next computation one
  /// core fewer.
  func settle() async throws { try await Task.sleep(for: .seconds(1)) }

  private static func read(_ port: UInt16, _ request: String) throws -> Reply {
    var reply = Reply()
    let start = ContinuousClock.now
    let status = try LocalSocket.request(port, request) { line in
      guard let chunk = Chunk.read(line) else { return }
      let words = chunk.choices.first?.delta?.content ?? ""
      if reply.text.isEmpty, !words.isEmpty { reply.firstWords = .now - start }
      reply.text += words
      if let timings = chunk.timings {
        reply.cached = timings.cacheN
        reply.computed = timings.promptN
        reply.generated = timings.predictedN
      }
    }
    reply.whole = .now - start
    guard status == 200 else { throw Refused(status: status) }
    return reply
  }

  struct NotReady: Error {
    let arguments: [String]
  }

  struct Refused: Error {
    let status: Int
  }
}

/// One event of a streamed answer.
private struct Chunk: Decodable {
  struct Choice: Decodable {
    let delta: Delta?
  }

  struct Delta: Decodable {
    let content: String?
  }

  struct Timings: Decodable {
    let cacheN: Int
    let promptN: Int
    let predictedN: Int
  }

  let choices: [Choice]
  let timings: Timings?

  /// - Returns: `nil` for a line without an event.
  static func read(_ line: Substring) -> Chunk? {
    guard line.hasPrefix("data: {") else { return nil }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try? decoder.decode(Self.self, from: Data(line.dropFirst("data: ".count).utf8))
  }
}
