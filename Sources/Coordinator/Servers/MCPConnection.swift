import Coordination
import Foundation
import Journal
import MCP
import Supervision
import Transcripts
import Wire

/// The connection to one MCP server, whose process is started when its tools are first wanted, and
/// again when it has ended.
actor MCPConnection {
  private struct Running {
    let transport: any MCPTransport
    /// Tells one life of the server from the next.
    let life: Int
    var client: MCPClient
    var decoder = JSONRPCLineDecoder()
    var hasList = false

    /// What becomes of a call that is not answered any more.
    func outcome(of number: Int, _ problem: String) -> Outcome {
      guard let id = client.request(of: number) else { return .unavailable(problem) }
      return .abandoned(problem, .init(id: id, version: client.session?.version.rawValue ?? ""))
    }
  }

  private enum Phase {
    case stopped
    case starting
    case running(Running)
    case closed

    func outcome(of number: Int, _ problem: String) -> Outcome {
      guard case .running(let running) = self else { return .unavailable(problem) }
      return running.outcome(of: number, problem)
    }
  }

  /// How long the server may take to end by itself.
  private static let patience = Duration.milliseconds(400)
  /// What our own lines in the server's log begin with.
  private static let noteStart = "orchestrator: "

  let entry: MCPServerEntry
  private let start: @Sendable () async throws -> any MCPTransport
  private let onList: @Sendable ([MCPListedTool], MCPEra?) async -> Void
  private var phase = Phase.stopped
  private var budget = RestartBudget(failures: 3)
  private var lives = 0
  /// How the connection began the last time.
  private var era: MCPEra?
  private var problem: String?
  /// Those who wait for the list of tools.
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var calls = PendingCalls()

  /// - Parameters:
  ///   - era: How the connection began the last time; `nil` if that is not known.
  ///   - start: Starts the process.
  ///   - onList: Receives the tools and how the connection began, when the server has started and whenever they change.
  init(
    _ entry: MCPServerEntry,
    era: MCPEra? = nil,
    start: @escaping @Sendable () async throws -> any MCPTransport,
    onList: @escaping @Sendable ([MCPListedTool], MCPEra?) async -> Void
  ) {
    self.entry = entry
    self.era = era
    self.start = start
    self.onList = onList
  }

  // MARK: The life of the process

  /// Starts the server if it does not run, and returns once it has listed its tools.
  /// - Returns: Which of its lives it is in.
  @discardableResult
  func ready() async throws(Unavailable) -> Int {
    while true {
      switch phase {
      case .running(let running) where running.hasList: return running.life
      case .closed: throw Unavailable(problem: "orchestrator is stopping.")
      case .starting, .running:
        await withCheckedContinuation { waiting.append($0) }
        if case .running(let running) = phase, running.hasList { return running.life }
        // It is started anew by those who ask next, within the budget.
        throw Unavailable(problem: problem ?? "it has ended.")
      case .stopped:
        guard budget.allows(at: .now) else {
          throw Unavailable(problem: "it has failed too often. \(problem ?? "")")
        }
        await launch()
      }
    }
  }

  private func launch() async {
    phase = .starting
    problem = nil
    lives += 1
    let transport: any MCPTransport
    do {
      transport = try await start()
    } catch {
      budget.recordFailure(at: .now)
      if case .starting = phase { phase = .stopped }
      problem = "\((error as? MCPServerError)?.problem ?? "\(error)")"
      return resumeWaiting()
    }
    guard case .starting = phase else { return transport.kill() }
    var settings = MCPClient.Settings()
    settings.era = era
    settings.startTimeout = entry.options.startTimeout
    settings.callTimeout = entry.options.callTimeout
    settings.isSerial = entry.options.isSerial
    var running = Running(transport: transport, life: lives, client: MCPClient(settings))
    let effects = running.client.start()
    phase = .running(running)
    // Unstructured: ends with the process.
    Task { await read(transport, life: running.life) }
    await perform(effects)
  }

  private func read(_ transport: any MCPTransport, life: Int) async {
    for await event in transport.events {
      switch event {
      case .output(let bytes):
        receive(bytes)
        transport.noteRead(bytes.count)
        await handleMessages(life: life)
      case .ended(let status): ended(transport, status)
      }
    }
  }

  private func receive(_ bytes: [UInt8]) {
    change { $0.decoder.append(bytes) }
  }

  private func handleMessages(life: Int) async {
    while case .running(var running) = phase, running.life == life {
      let line: JSONRPCLineDecoder.Line?
      let skipped = running.decoder.skippedLines
      // Moved rather than copied: it may hold a long line.
      phase = .starting
      do throws(JSONRPCLineDecoder.LineTooLong) {
        line = try running.decoder.next()
      } catch {
        phase = .running(running)
        return fail("it wrote a line of more than \(error.limit >> 20) MiB.")
      }
      if skipped == 0, let noise = running.decoder.firstSkipped {
        running.transport.note("\(Self.noteStart)not a message, and skipped: \(noise)")
      }
      guard let line else {
        phase = .running(running)
        return
      }
      var effects: [MCPClient.Effect] = []
      if case .success(let message) = line { effects = running.client.receive(message) }
      phase = .running(running)
      await perform(effects)
    }
  }

  private func ended(_ transport: any MCPTransport, _ status: ExitStatus) {
    guard case .running(let running) = phase, running.transport === transport else { return }
    phase = .stopped
    budget.recordFailure(at: .now)
    let words = transport.lastLines(20).filter { !$0.hasPrefix(Self.noteStart) }.suffix(3)
      .joined(separator: " / ")
    let how =
      switch status {
      case .code(let code): "it ended with code \(code)"
      case .signal(let signal): "it was ended by signal \(signal)"
      }
    problem = problem ?? (words.isEmpty ? "\(how)." : "\(how): \(words)")
    resumeWaiting()
    for number in calls.numbers {
      calls.finish(number, running.outcome(of: number, problem ?? how))
    }
  }

  /// Kills a server that cannot be talked to.
  private func fail(_ reason: String) {
    guard case .running(let running) = phase else { return }
    problem = reason
    running.transport.note("\(Self.noteStart)killed, because \(reason)")
    running.transport.kill()
  }

  private func resumeWaiting() {
    let waiting = exchange(&waiting, with: [])
    for continuation in waiting { continuation.resume() }
  }

  /// Ends the server for good.
  func close() async {
    let last = phase
    phase = .closed
    resumeWaiting()
    for number in calls.numbers {
      calls.finish(number, last.outcome(of: number, "orchestrator is stopping."))
    }
    if case .running(let running) = last { await running.transport.end(patience: Self.patience) }
  }

  // MARK: Effects of the client

  private func change(_ body: (inout Running) -> Void) {
    guard case .running(var running) = phase else { return }
    phase = .starting
    body(&running)
    phase = .running(running)
  }

  private func handle(_ body: (inout MCPClient) -> [MCPClient.Effect]) async {
    var effects: [MCPClient.Effect] = []
    change { effects = body(&$0.client) }
    await perform(effects)
  }

  private func perform(_ effects: [MCPClient.Effect]) async {
    for effect in effects {
      guard case .running(let running) = phase else { return }
      switch effect {
      case .send(let message): running.transport.send(message)
      case .start(let timer, let delay): start(timer, after: delay, life: running.life)
      case .began(let session):
        era = session.version.hasHandshake ? .handshake : .stateless
        problem = nil
        running.transport.note(
          "\(Self.noteStart)\(session.name ?? "the server") speaks \(session.version.rawValue)"
        )
      case .listed(let tools):
        await onList(tools, era)
        change { $0.hasList = true }
        resumeWaiting()
      case .progressed(let number, let progress): calls.show(progress, of: number, at: .now)
      case .asked(let number, let question, let form):
        ask(form, of: number, question, life: running.life)
      case .finished(let number, let request, let outcome):
        let version = running.client.session?.version.rawValue ?? ""
        calls.finish(number, .answered(outcome, .init(id: request, version: version)))
      case .failed(let fault): fail(fault.words)
      }
    }
  }

  private func start(_ timer: MCPClient.Timer, after delay: Duration, life: Int) {
    // Unstructured: ends after its delay. While the machine sleeps, so does the server.
    Task {
      try? await Task.sleep(for: delay, clock: .suspending)
      guard case .running(let running) = phase, running.life == life else { return }
      await handle { $0.fired(timer) }
    }
  }

  /// Has a person fill in a form, and tells the server what came of it.
  private func ask(_ form: MCPForm, of number: Int, _ question: Int, life: Int) {
    let caller = calls.caller(of: number)
    let content = ApprovalForm(message: form.message, schema: form.schema)
    // Unstructured: ends with the answer, which comes with the end of the turn at the latest.
    Task {
      let answer = await caller?.ask(content) ?? .cancelled
      guard case .running(let running) = phase, running.life == life else { return }
      await handle { $0.answer(question: question, ElicitationAnswer(answer)) }
    }
  }

  // MARK: Calls

  /// Calls a tool of the server, if it is still in the life that `ready` returned.
  func call(
    _ tool: String,
    arguments: GeneratedContent,
    in life: Int,
    for caller: MCPCaller
  ) async -> Outcome {
    let number = calls.nextNumber()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard !Task.isCancelled else {
          return continuation.resume(returning: .unavailable("the turn is over."))
        }
        calls.wait(continuation, for: number, of: caller)
        // A task, because the continuation is made synchronously; the actor runs it next.
        Task { await begin(number, tool, arguments, life) }
      }
    } onCancel: {
      // Cancellation arrives on any thread.
      Task { await self.cancel(number) }
    }
  }

  private func begin(_ number: Int, _ tool: String, _ arguments: GeneratedContent, _ life: Int)
    async
  {
    // It may have ended since it was ready.
    guard case .running(let running) = phase, running.life == life else {
      calls.finish(number, .unavailable(problem ?? "it has ended."))
      return
    }
    let traceparent = calls.caller(of: number)?.traceparent
    await handle {
      $0.call(number, tool: tool, arguments: arguments, traceparent: traceparent)
    }
  }

  private func cancel(_ number: Int) async {
    guard calls.finish(number, phase.outcome(of: number, "the turn is over.")) else { return }
    await handle { $0.cancel(number, reason: "The turn is over.") }
  }

  // MARK: Status

  func status() -> MCPServerStatus {
    var status = MCPServerStatus(name: entry.name, state: .stopped, problem: problem)
    if case .running(let running) = phase {
      status.state = running.hasList ? .running : .starting
      status.pid = running.transport.process?.pid
      status.launched = running.transport.launched
      status.memory = running.transport.process?.memory
      status.version = running.client.session?.version.rawValue
      status.calls = calls.numbers.count
    }
    return status
  }
}
