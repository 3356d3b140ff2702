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
  /// - Parameter calls: The calls to finish first; `nil` for those that the history shows as open.
  static func messages(
    of agent: sending some Agent,
    after history: [Transcript.Entry] = [.said("Go")],
    finishing calls: [Transcript.ToolCall]? = nil,
    resources: ResourceWatch = ResourceWatch()
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
        if let reply = Self.reply(to: message) { _ = runner.answer(reply) }
        continuation.yield(message)
      }
      close(input)
      continuation.finish()
    }
    defer { close(output) }
    let order = TurnOrder(
      turn: 1,
      kept: 0,
      added: history,
      unfinishedCalls: calls,
      admission: admission
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

  private static let admission = AdmissionAnswer.admitted(.go(maximumTokens: 1000))

  /// Returns when nobody can send anything any more.
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

  /// Keeps everything and allows everything.
  private static func reply(to message: FromWorker) -> ToWorker? {
    switch message {
    case .admission(let turn, _, _): .admitted(turn: turn, admission)
    case .entry(let turn, .toolCalls(let calls), _):
      .recorded(turn: turn, entryID: calls.id, admittedCalls: calls.count, next: admission)
    case .entry(let turn, let entry, _):
      .recorded(turn: turn, entryID: entry.id, admittedCalls: 0)
    case .settle(let turn): .settled(turn: turn)
    case .state(let turn, _): .stateKept(turn: turn)
    case .passBaton(let turn, let callID, let agent):
      .batonPassed(turn: turn, callID: callID, holder: agent, refusal: nil)
    case .phone(let turn, let callID, _, _):
      .friendAnswered(turn: turn, callID: callID, .answered("The Crane"))
    default: nil
    }
  }
}

extension FromWorker {
  /// A short outline of the message, with the number of generated tokens.
  var outline: String {
    switch self {
    case .admission: return "admission"
    case .takesAdmission: return "takes admission"
    case .settle: return "settle"
    case .entry(_, let entry, let figures), .unawaitedEntry(_, let entry, let figures):
      return "entry \(entry.text)" + Self.outline(figures)
    case .state(_, let change):
      let names = change.properties.keys.sorted() + (change.history == nil ? [] : ["history"])
      return (["state"] + names).joined(separator: " ") + Self.outline(change.figures)
    case .passBaton(_, _, let agent): return "baton to \(agent)"
    case .phone(_, _, let agent, _): return "phone \(agent)"
    case .ended(_, .failed): return "failed"
    case .ended(_, let ending): return "\(ending)"
    default: return "else"
    }
  }

  private static func outline(_ figures: RequestFigures?) -> String {
    figures.map { " (\($0.tokensOut))" } ?? ""
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
