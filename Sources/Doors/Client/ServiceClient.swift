import Coordinator
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Requests to a coordinator's socket, and their answers as values.
struct ServiceClient: Sendable {
  /// The seconds that may pass without data; a stream shows every second that it is alive.
  private static let patience = 30

  let socket: String

  func get<Value: Decodable>(
    _ path: String,
    _ query: [String: String?] = [:],
    patience: Int = Self.patience
  ) async throws -> Value {
    try Self.decoded(await response(.GET, Self.path(path, query), patience: patience))
  }

  func text(_ path: String) async throws -> String {
    String(decoding: try await response(.GET, path), as: UTF8.self)
  }

  func post<Value: Decodable>(_ path: String, _ body: some Encodable) async throws -> Value {
    try Self.decoded(await response(.POST, path, try ServiceJSON.encode(body)))
  }

  /// Posts a body whose answer says nothing.
  func send(_ path: String, _ body: some Encodable) async throws {
    _ = try await response(.POST, path, try ServiceJSON.encode(body))
  }

  func stream<Element: Decodable & Sendable>(
    _ path: String,
    _ query: [String: String?]
  ) async throws -> EventStream<Element> {
    try await stream(.GET, Self.path(path, query), Data())
  }

  func stream<Element: Decodable & Sendable>(
    _ path: String,
    posting body: some Encodable
  ) async throws -> EventStream<Element> {
    try await stream(.POST, path, try ServiceJSON.encode(body))
  }

  /// Returns the body of a response.
  /// - Throws: `ServiceError` when the coordinator refuses, `ConnectionError` when it is not there.
  private func response(
    _ method: HTTPMethod,
    _ path: String,
    _ body: Data = Data(),
    patience: Int = Self.patience
  ) async throws -> Data {
    var (answer, status) = (Data(), HTTPResponseStatus.ok)
    do {
      try await ServerConnection.open(socket, patience: patience).send(method, path, body: body) {
        status = $0
        if let bytes = $1 { answer += bytes.readableBytesView }
      }
    } catch {
      throw Self.interpreted(error)
    }
    guard (200..<300).contains(status.code) else { throw Self.refusal(answer) }
    return answer
  }

  /// Sends a request whose response is a stream of JSON, one object a line.
  ///
  /// Returns when the head of the response has come.
  private func stream<Element: Decodable & Sendable>(
    _ method: HTTPMethod,
    _ path: String,
    _ body: Data
  ) async throws -> EventStream<Element> {
    let (elements, continuation) = AsyncThrowingStream<Element, any Error>.makeStream()
    let (heads, head) = AsyncThrowingStream<Void, any Error>.makeStream()
    // Unstructured: ends with the stream, whichever side ends that.
    let task = Task {
      var (rest, refusal, isRefused) = (LineBuffer(), Data(), false)
      do {
        let connection = try await ServerConnection.open(socket, patience: Self.patience)
        try await connection.send(method, path, body: body) { status, bytes in
          guard status == .ok else {
            isRefused = true
            if let bytes { refusal += bytes.readableBytesView }
            return
          }
          guard let bytes else { return head.finish() }
          for line in rest.append(bytes.readableBytesView) {
            if let element: Element = try Self.element(in: line) { continuation.yield(element) }
          }
        }
        if isRefused { throw Self.refusal(refusal) }
        head.finish()
        continuation.finish()
      } catch {
        let error = Self.interpreted(error)
        head.finish(throwing: error)
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    try await withTaskCancellationHandler {
      for try await _ in heads {}
    } onCancel: {
      task.cancel()
    }
    return EventStream(elements)
  }

  // MARK: Answers

  private static func decoded<Value: Decodable>(_ body: Data) throws -> Value {
    do {
      return try ServiceJSON.decode(body)
    } catch {
      throw ConnectionError.unreadable
    }
  }

  /// Returns the element in a line; `nil` for a line that only shows that the other end is alive.
  private static func element<Element: Decodable>(in line: Data) throws -> Element? {
    if let body: ErrorBody = try? ServiceJSON.decode(line) { throw body.error }
    if let tick: Tick = try? ServiceJSON.decode(line), tick.event == Tick.name { return nil }
    return try decoded(line) as Element
  }

  private struct Tick: Decodable {
    static let name = "tick"
    let event: String
  }

  private static func refusal(_ body: Data) -> any Error {
    let refusal: ErrorBody? = try? ServiceJSON.decode(body)
    return refusal?.error ?? ConnectionError.unreadable
  }

  private static func interpreted(_ error: any Error) -> any Error {
    switch error {
    case is ServiceError, is ConnectionError, is CancellationError: error
    case let error as IOError where error.errnoCode == EAGAIN: ConnectionError.silent
    case HTTPParserError.invalidEOFState: ConnectionError.gone
    case is HTTPParserError: ConnectionError.unreadable
    default: Task.isCancelled ? CancellationError() : ConnectionError.gone
    }
  }

  private static func path(_ path: String, _ query: [String: String?]) -> String {
    var components = URLComponents()
    components.path = path
    let items = query.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) }
    }
    if !items.isEmpty { components.queryItems = items.sorted { $0.name < $1.name } }
    // A server may read a plus sign as a space.
    return (components.string ?? path).replacing("+", with: "%2B")
  }
}

/// Splits bytes into lines; a long line that arrives in many pieces is searched only once.
struct LineBuffer {
  private var rest = Data()

  /// Adds bytes, and returns the lines that are complete.
  mutating func append(_ bytes: some Collection<UInt8>) -> [Data] {
    var lines: [Data] = []
    for piece in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      lines.append(rest + piece)
      rest = Data()
    }
    rest = lines.removeLast()
    return lines
  }
}
