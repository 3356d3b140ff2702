import AgentKit
import ArgumentParser
import Foundation
import Wire

/// A worker that says what no worker should: this program in place of a worker.
///
/// It listens as a worker does, so that what it says belongs to the turn it was given.
struct Liar: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "liar", shouldDisplay: false)

  enum Way: String, ExpressibleByArgument {
    /// A turn with errors in it.
    case lies
    /// Endless entries that were not asked for.
    case entries
    /// An endless answer.
    case words
  }

  @Option(help: "What it says.")
  var way = Way.lies

  @Option(help: "A file that grows by a byte with each lie.")
  var count: String

  @Option(help: "What the lies are made from, with their numbers.")
  var seed: UInt64

  @Option(name: .customLong("run"), help: "Whose worker it is.")
  var life: String

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    var tamperer = Tamperer(seed: next())
    let head: [FromWorker] = [
      .greeting(Greeting(pid: getpid(), fingerprint: "f")),
      .ready(Readiness(model: ModelDescription(name: "m", contextSize: 512))),
    ]
    // Most begin well, because one that does not is not heard any further.
    let isBad = way == .lies && tamperer.chance(0.1)
    say(
      WireLimits.preamble
        + (isBad ? tamperer.bytes(of: head) : head.flatMap { FrameBatch.bytes($0) })
    )
    var decoder = MessageDecoder<ToWorker>()
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = read(0, &buffer, buffer.count)
      // Without a lifeline there is no coordinator to lie to.
      guard count > 0 else { return }
      decoder.append(buffer[..<count])
      while let message = try? decoder.next() { answer(message, &tamperer) }
    }
  }

  private func answer(_ message: ToWorker, _ tamperer: inout Tamperer) {
    switch message {
    case .ping(let number): say(FrameBatch.bytes(FromWorker.pong(number)))
    case .fit(let id, _):
      let fit = FromWorker.fit(id: id, ContextFit(tokens: 10, window: 512))
      say(tamperer.chance(0.2) ? tamperer.bytes(of: [fit]) : FrameBatch.bytes(fit))
    case .turn(let order) where way != .lies: flood(order.turn)
    case .turn(let order):
      tamperer = Tamperer(seed: next())
      say(tamperer.bytes(of: story(order)))
      // Most are gone with their lie; the others stay and answer as if nothing were wrong.
      if tamperer.chance(0.9) { _exit(tamperer.chance(0.5) ? 0 : 3) }
    case .shutdown, .cancel: _exit(0)
    default: break
    }
  }

  /// Says the same thing repeatedly until it is ended.
  private func flood(_ turn: Int) {
    let words = String(repeating: "words ", count: way == .words ? 10_000 : 700_000)
    let change = TextChange(entryID: "e", isReasoning: false, keptBytes: 0, added: words)
    let message: FromWorker =
      way == .words
      ? .text(turn: turn, change)
      : .request(id: 1, turn: turn, .record(raw([response(words)]), nil))
    let bytes = FrameBatch.bytes(message)
    while true { say(bytes) }
  }

  /// Returns everything that a worker may say in a turn.
  private func story(_ order: TurnOrder) -> [FromWorker] {
    let turn = order.turn
    let usage = RequestUsage(
      tokensIn: 20,
      tokensCached: 10,
      tokensOut: 5,
      secondsToFirstToken: 0.5,
      seconds: 1.5,
      contextSize: 512
    )
    let call = Transcript.ToolCall(
      id: "c1",
      toolName: "look",
      arguments: GeneratedContent(properties: ["at": "a crane"])
    )
    let context = ContextReport(
      exchanges: 1,
      cutOutputs: 2,
      tokensBefore: 300,
      tokensAfter: 30,
      window: 512,
      isSummarized: false,
      isShared: true
    )
    let calls = Transcript.Entry.toolCalls(.init([call]))
    let seen = output("c1", "seen")
    let history = order.added.map(\.entry) + [calls, seen]
    func request(_ id: Int, _ request: WorkerRequest) -> FromWorker {
      .request(id: id, turn: turn, request)
    }
    return [
      .wantsCores(1), .adopted(grant: 1), .returnsCores,
      request(1, .admission(.round)), request(2, .admission(.summary)),
      .text(turn: turn, TextChange(entryID: "e", isReasoning: false, keptBytes: 0, added: "A b")),
      .text(turn: turn, TextChange(entryID: "e", isReasoning: false, keptBytes: 2, added: "crane")),
      request(3, .record(raw([calls]), usage)),
      request(4, .hostTool(callID: "c1", .approval)),
      request(5, .hostTool(callID: "c1", .passBaton(to: "clerk"))),
      request(6, .hostTool(callID: "c1", .phone(agent: "clerk", prompt: "say 1"))),
      request(7, .record(raw([seen]), nil)),
      request(
        8,
        .recordState(
          StateChange(
            properties: ["topic": "\"boats\""],
            history: HistoryEdit(from: history, to: Array(history.dropFirst())),
            context: context,
            usage: usage
          )
        )
      ),
      request(9, .record(raw([response("There you are.")]), usage)),
      .forked(RunID("liar-2"), pid: 1), .pong(4), .ended(turn: turn, .answered),
    ]
  }

  private func raw(_ entries: [Transcript.Entry]) -> [RawEntry] {
    entries.compactMap { try? RawEntry($0) }
  }

  private func output(_ call: String, _ text: String) -> Transcript.Entry {
    .toolOutput(.init(id: call, toolName: "look", segments: [.text(.init(content: text))]))
  }

  private func response(_ text: String) -> Transcript.Entry {
    .response(.init(segments: [.text(.init(content: text))]))
  }

  /// Returns the seed of this lie, made from its number among all lies.
  private func next() -> UInt64 {
    let file = open(count, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    guard write(file, ".", 1) == 1 else { return seed }
    return seed &+ UInt64(max(0, lseek(file, 0, SEEK_CUR)))
  }

  private func say(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
      guard count > 0 else { _exit(0) }
      rest = rest.dropFirst(count)
    }
  }
}
