import AgentKit
import Glibc
import Wire

@testable import Working

/// A turn as a worker runs it, with a peer that answers like the coordinator.
enum WorkerTurn {
  struct NoPipe: Error {
    let problem: Int32
  }

  /// Runs a turn and returns what the coordinator hears, except for growing texts.
  /// - Parameters:
  ///   - calls: The calls to finish first; `nil` for those that the history shows as open.
  ///   - admitsWithRecords: Whether the reply to a record admits the round that is asked for with it.
  static func messages(
    of agent: sending some Agent,
    after history: [Transcript.Entry] = [.said("Go")],
    finishing calls: [Transcript.ToolCall]? = nil,
    options: TurnOptions? = nil,
    resources: ResourceWatch = ResourceWatch(),
    admitsWithRecords: Bool = false
  ) async throws -> [FromWorker] {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw NoPipe(problem: errno) }
    let (input, output) = (ends[0], ends[1])
    let runner = AgentRunner(
      agent: agent,
      outbox: Outbox(output: output),
      resources: resources
    )
    let (messages, continuation) = AsyncStream<FromWorker>.makeStream()
    DetachedThread.start(name: "coordinator") {
      Self.listen(to: input) { message in
        if let reply = Self.reply(to: message, admitsWithRecords) { _ = runner.deliverReply(reply) }
        continuation.yield(message)
      }
      close(input)
      continuation.finish()
    }
    defer { close(output) }
    let order = TurnOrder(
      turn: 1,
      kept: 0,
      added: try history.map(RawEntry.init),
      options: options,
      unfinishedCalls: calls
    )
    try await runner.handle(.turn(order))
    var heard: [FromWorker] = []
    for await message in messages {
      if case .text = message { continue }
      heard.append(message)
      if case .ended = message { break }
    }
    await runner.finish()
    return heard
  }

  /// Returns when the pipe is closed.
  private static func listen(to input: Int32, _ hear: (FromWorker) -> Void) {
    var decoder = MessageDecoder<FromWorker>()
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(input, &buffer, 4096)
      guard count > 0 else { return }
      decoder.append(buffer[..<count])
      while let message = try? decoder.next() { hear(message) }
    }
  }

  private static func reply(to message: FromWorker, _ admitsWithRecords: Bool) -> ToWorker? {
    guard case .request(let id, _, let request) = message else { return nil }
    if admitsWithRecords, case .record(_, _, .round?) = request {
      return .reply(id: id, .recorded(.all, .admitted(.go(maximumTokens: 1000))))
    }
    return .reply(id: id, reply(to: request))
  }

  /// Records everything and allows everything.
  private static func reply(to request: WorkerRequest) -> WorkerReply {
    switch request {
    case .admission: .admission(.admitted(.go(maximumTokens: 1000)))
    case .record, .recordEarly, .recordState: .recorded(.all)
    case .hostTool(_, .approval): .approval(.approved)
    case .hostTool(_, .passBaton(let agent)): .baton(BatonAnswer(holder: agent))
    case .hostTool(_, .phone): .friend(.answered("The Crane"))
    case .hostTool(let id, .client(let others)):
      .client(
        ClientAnswer(
          outputs: ([id] + others).map { ClientToolOutput(callID: $0, text: "performed") },
          secondsLeft: 7
        )
      )
    case .hostTool(_, .mcp(let request, _)): .mcp(.returned("\(request)"))
    }
  }
}

extension FromWorker {
  /// A short outline of the message, with the number of generated tokens.
  var outline: String {
    switch self {
    case .request(_, _, let request): request.outline
    case .unusedAdmission: "unused"
    case .ended(_, .failed): "failed"
    case .ended(_, let ending): "\(ending)"
    default: "else"
    }
  }

  /// The entries that the message has recorded.
  var recordedEntries: [Transcript.Entry] {
    guard case .request(_, _, .record(let entries, _, _)) = self else { return [] }
    return entries.map(\.entry)
  }

  /// The change of state that the message has recorded.
  var recordedState: StateChange? {
    guard case .request(_, _, .recordState(let change)) = self else { return nil }
    return change
  }
}

extension WorkerRequest {
  fileprivate var outline: String {
    switch self {
    case .admission(let purpose):
      return purpose == .round ? "admission" : "admission of a summary"
    case .record(let entries, let usage, let next):
      let texts = entries.map(\.entry.text).joined(separator: " + ")
      return "record \(texts)" + Self.outline(usage) + (next.map { " then \($0)" } ?? "")
    case .recordEarly(let output): return "early \(output.entry.text)"
    case .recordState(let change):
      let names = change.properties.keys.sorted() + (change.history == nil ? [] : ["history"])
      return (["state"] + names).joined(separator: " ") + Self.outline(change.usage)
    case .hostTool(_, .approval): return "approval"
    case .hostTool(_, .passBaton(let agent)): return "baton to \(agent)"
    case .hostTool(_, .phone(let agent, _)): return "phone \(agent)"
    case .hostTool(_, .client(let others)): return "client \(others.count + 1)"
    case .hostTool(_, .mcp): return "mcp"
    }
  }

  private static func outline(_ usage: RequestUsage?) -> String {
    usage.map { " (\($0.tokensOut))" } ?? ""
  }
}

extension Transcript.Entry {
  static func said(_ text: String) -> Self {
    .prompt(.init(segments: [.text(.init(content: text))]))
  }

  static func answered(_ text: String) -> Self {
    .response(.init(segments: [.text(.init(content: text))]))
  }
}
