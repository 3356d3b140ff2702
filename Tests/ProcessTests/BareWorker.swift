import Foundation
import Supervision
import Testing
import Wire

/// A real worker without a coordinator, with which a test exchanges messages directly.
final class BareWorker {
  /// Everything that a worker said and logged, and how it ended.
  struct End {
    var said: [FromWorker] = []
    var log = ""
    var status: Supervision.ExitStatus?
  }

  private static let eventLoop = Result { try ChildEventLoop() }

  let pid: Int32
  private let eventLoop: ChildEventLoop
  private var events: AsyncStream<ChildEvent>.Iterator
  private var scanner: PreambleScanner? = PreambleScanner()
  private var decoder = MessageDecoder<FromWorker>()
  private(set) var end = End()

  init() async throws {
    eventLoop = try Self.eventLoop.get()
    let (events, continuation) = AsyncStream<ChildEvent>.makeStream()
    self.events = events.makeAsyncIterator()
    let launch = Launch(
      executable: try await Troupe.shared().worker,
      arguments: ["--run", "bare-1"],
      environment: WorkerEnvironment.variables(of: ProcessInfo.processInfo.environment)
    )
    pid = try await eventLoop.launch(launch) { event in
      continuation.yield(event)
      if case .exited = event { continuation.finish() }
      return .goOn
    }
  }

  /// A worker that has loaded an agent.
  static func ready(_ agent: String = "puppet") async throws -> BareWorker {
    let worker = try await BareWorker()
    try await worker.say(.hello(configuration(agent)))
    try await worker.hear { if case .ready = $0 { true } else { false } }
    return worker
  }

  static func configuration(_ agent: String, version: Int = WireLimits.version) async throws
    -> WorkerConfiguration
  {
    WorkerConfiguration(
      version: version,
      run: RunID("bare-1"),
      plugin: try await Troupe.shared().plugin(agent),
      model: nil,
      contextSize: nil
    )
  }

  func say(_ message: ToWorker) throws {
    say(try MessageEncoder().frames(of: message).flatMap(\.bytes))
  }

  func say(_ bytes: [UInt8]) { eventLoop.write(bytes, to: pid) }

  func closeInput() { eventLoop.closeInput(of: pid) }

  /// Waits for a message and fails if the worker ends first.
  @discardableResult
  func hear(_ isMeant: (FromWorker) -> Bool) async throws -> FromWorker {
    while true {
      while let message = try nextMessage() {
        end.said.append(message)
        if isMeant(message) { return message }
      }
      try #require(await takeEvent(), "the worker ended, and said \(end.said); \(end.log)")
    }
  }

  /// Waits until the log contains a text.
  func log(contains text: String) async throws {
    while !end.log.contains(text) { try #require(await takeEvent()) }
  }

  /// Waits until the worker has ended.
  func finish() async throws -> End {
    while await takeEvent() {}
    while let message = try nextMessage() { end.said.append(message) }
    return end
  }

  private func nextMessage() throws -> FromWorker? {
    scanner == nil ? try decoder.next() : nil
  }

  private func takeEvent() async -> Bool {
    guard let event = await events.next(isolation: #isolation) else { return false }
    switch event {
    case .error(let bytes): end.log += String(decoding: bytes, as: UTF8.self)
    case .exited(let status): end.status = status
    case .outputClosed: break
    case .output(let bytes):
      if scanner == nil {
        decoder.append(bytes)
      } else if let found = try? scanner?.take(bytes) {
        scanner = nil
        decoder.append(found.rest)
      }
    }
    return true
  }
}
