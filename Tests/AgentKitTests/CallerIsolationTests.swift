import AgentKit
import Dispatch
import Testing

@Suite(.timeLimit(.minutes(5)))
@CallersActor
struct `A turn that is awaited on an actor` {
  private let log = Log()

  @Test func `evaluates bodies and calls hooks there`() async throws {
    let model = ScriptedLanguageModel(
      .calls([.init("plain"), .init("plain")]),
      .call("plain"),
      .text("Done.")
    )
    let session = LanguageModelSession(profile: Isolated(model: model, log: log))
    try await session.respond(to: "Go")
    let round = ["body", "call", "call", "output", "output"]
    let next = ["body", "call", "output", "body", "response", "exit"]
    let moments = ["body", "prompt"] + round + next
    #expect(log.lines == moments.map { "\($0): there" })
  }

  @Test func `calls exit hooks there when it fails`() async throws {
    let model = ScriptedLanguageModel(.call("fail"))
    let session = LanguageModelSession(profile: Isolated(model: model, log: log))
    await #expect(throws: (any Error).self) { try await session.respond(to: "Go") }
    #expect(log.lines.last == "exit: there")
  }

  @Test func `is streamed where the session was created`() async throws {
    let model = ScriptedLanguageModel(.call("plain"), .text("Done."))
    let session = LanguageModelSession(profile: Isolated(model: model, log: log))
    try await Task.detached { _ = try await session.streamResponse(to: "Go").collect() }.value
    let moments = ["body", "prompt", "body", "call", "output", "body", "response", "exit"]
    #expect(log.lines == moments.map { "\($0): there" })
  }

  @Test func `is seen to leave it`() async {
    await Task.detached { CallersActor.note("detached", in: log) }.value
    #expect(log.lines == ["detached: elsewhere"])
  }
}

@CallersActor
private struct Isolated: @CallersActor LanguageModelSession.DynamicProfile {
  let model: ScriptedLanguageModel
  let log: Log

  var body: some LanguageModelSession.DynamicProfile {
    let log = note("body")
    LanguageModelSession.Profile {
      Plain()
      Doing("fail") { _ in throw Mishap() }
    }
    .model(model)
    .modifier(Noting(log: log))
  }

  private func note(_ moment: String) -> Log {
    CallersActor.note(moment, in: log)
    return log
  }
}

/// Hooks that belong to no actor.
private struct Noting: LanguageModelSession.DynamicProfileModifier {
  let log: Log

  func body(content: Content) -> some LanguageModelSession.DynamicProfile {
    content
      .onPrompt { CallersActor.note("prompt", in: log) }
      .onToolCall { CallersActor.note("call", in: log) }
      .onToolOutput { CallersActor.note("output", in: log) }
      .onResponse { CallersActor.note("response", in: log) }
      .onExit { _ in CallersActor.note("exit", in: log) }
  }
}

/// An actor whose code can tell that it runs on it.
@globalActor
actor CallersActor {
  static let shared = CallersActor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { Self.executor.asUnownedSerialExecutor() }

  private static let executor = Executor()

  private final class Executor: SerialExecutor {
    static let key = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "caller")

    init() { queue.setSpecific(key: Self.key, value: true) }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  /// Notes where something happens.
  nonisolated static func note(_ moment: String, in log: Log) {
    let isThere = DispatchQueue.getSpecific(key: Executor.key) == true
    log.add("\(moment): \(isThere ? "there" : "elsewhere")")
  }
}
