import AgentKit
import Foundation
import Testing
import Wire

@Suite struct `Round trips` {
  @Test(arguments: Samples.toWorker)
  func `what the coordinator says comes through`(message: ToWorker) throws {
    try expectRoundTrip(message)
  }

  @Test(arguments: Samples.fromWorker)
  func `what a worker says comes through`(message: FromWorker) throws {
    try expectRoundTrip(message)
  }

  @Test func `the same values are written with the same bytes however they lie in memory`() throws {
    let names = (0..<100).map { "value \($0)" }
    var (one, other): ([String: String], [String: String]) = ([:], [:])
    other.reserveCapacity(5000)
    for name in names { one[name] = "1" }
    for name in names.reversed() { other[name] = "1" }
    #expect(Array(one.keys) != Array(other.keys))
    let frames = try MessageEncoder().frames(of: ToWorker.properties(one))
    #expect(try MessageEncoder().frames(of: ToWorker.properties(other)) == frames)
  }

  @Test func `a greeting is spelled as it is encoded`() throws {
    let greeting = Greeting(pid: 4711, fingerprint: "0123456789abcdef")
    let encoded = try MessageEncoder().frames(of: FromWorker.greeting(greeting)).flatMap(\.bytes)
    #expect(greeting.firstBytes == WireLimits.preamble + encoded)
  }

  @Test func `urgent messages fit into control frames`() throws {
    for message in Samples.toWorker where message.isControl {
      #expect(try MessageEncoder().frames(of: message).map(\.kind) == [.control])
    }
    for message in Samples.fromWorker where message.isControl {
      #expect(try MessageEncoder().frames(of: message).map(\.kind) == [.control])
    }
  }

  private func expectRoundTrip(_ message: some WireMessage & Equatable) throws {
    var decoder = decoder(of: message)
    for frame in try MessageEncoder().frames(of: message) { decoder.append(frame.bytes) }
    #expect(try decoder.next() == message)
    #expect(try decoder.next() == nil)
    try decoder.finish()
  }

  private func decoder<Message: WireMessage>(of _: Message) -> MessageDecoder<Message> {
    MessageDecoder()
  }
}

/// One message of every kind, and every kind of content.
enum Samples {
  static let toWorker: [ToWorker] = [
    .hello(
      WorkerConfiguration(run: RunID("a-1"), plugin: "/p.so", model: "/m.gguf", contextSize: 4096)
    ),
    .hello(
      WorkerConfiguration(version: 9, run: RunID("a-1"), plugin: "", model: nil, contextSize: nil)
    ),
    .hello(
      WorkerConfiguration(
        run: RunID("a-1"),
        plugin: "",
        model: nil,
        contextSize: nil,
        memory: 2_000_000_000_000
      )
    ),
    .turn(TurnOrder(turn: 1, kept: 0, added: entries)),
    .turn(TurnOrder(turn: 2, kept: 7, added: [], properties: ["topic": "\"a crane\""])),
    .turn(TurnOrder(turn: 2, kept: 7, added: [], unfinishedCalls: [])),
    .turn(TurnOrder(turn: 2, kept: 7, added: [], unfinishedCalls: transcript.openCalls)),
    .history(kept: 3, added: entries),
    .properties(["topic": "\"a crane\"", "count": "2"]),
    .fit(id: 1, TurnOrder(turn: 3, kept: 1, added: [], secondsLeft: 300)),
    .fit(id: 2, TurnOrder(turn: 3, kept: 1, added: entries, widestWindow: 8192)),
    .reply(id: 1, .admission(.admitted(.go(maximumTokens: 100)))),
    .reply(id: 1, .admission(.admitted(.go(maximumTokens: nil)))),
    .reply(id: 1, .admission(.admitted(.lastAnswer(cap: "rounds", maximumTokens: 256)))),
    .reply(id: 1, .admission(.refused(cap: "rounds"))),
    .reply(id: 1, .recorded(AdmittedCalls())),
    .reply(id: 1, .recorded(AdmittedCalls(count: 3, repeated: [0, 2]))),
    .reply(id: 1, .recorded(AdmittedCalls(), .admitted(.go(maximumTokens: 7)))),
    .reply(id: 1, .recorded(AdmittedCalls(), .refused(cap: "calls"))),
    .reply(id: 1, .approval(.approved)),
    .reply(id: 1, .approval(.denied("no \"crane\""))),
    .reply(id: 1, .baton(BatonAnswer(holder: "tutorial"))),
    .reply(id: 1, .baton(BatonAnswer(holder: "coach", refusal: "It is \"full\"."))),
    .reply(id: 1, .client(ClientAnswer(outputs: [.init(callID: "c", text: "a \"crane\"")]))),
    .reply(id: 1, .client(ClientAnswer(outputs: [], secondsLeft: 9))),
    .reply(id: 1, .friend(.answered("A paper crane \u{1F54A}\u{FE0F}\n\0"))),
    .reply(id: 1, .friend(.failed("it was too late"))),
    .reply(id: 1, .mcp(.returned("three \"commits\""))),
    .reply(id: 1, .mcp(.returned("[image]", images: [Data([1, 2, 3])]))),
    .reply(id: 1, .mcp(.failed("it is gone"))),
    .reply(id: 1, .mcp(.denied("no"))),
    .reply(id: 1, .friend(FriendAnswer("so far", exit: .cap("tokens")))),
    .reply(id: 1, .friend(FriendAnswer("all", exit: .answered, usage: largestSums))),
    .cores(CoreGrant(request: 3, number: 2, count: 4)),
    .yieldCores(3),
    .fork(RunID("a-2")),
    .hello(
      WorkerConfiguration(
        run: RunID("t-1"),
        role: .template,
        plugin: nil,
        model: "/m",
        contextSize: nil
      )
    ),
    .cancel(turn: 1),
    .cancel(turn: 1, cap: "seconds"),
    .ping(.max),
    .showPrompt(id: .max),
    .shutdown,
  ]

  static let fromWorker: [FromWorker] =
    [
      .greeting(Greeting(pid: 4711, fingerprint: "0123abcd")),
      .ready(Readiness(model: ModelDescription(name: "m", contextSize: 512))),
      .ready(Readiness(model: nil)),
      .rehearsed,
      .unable(Inability(.sandbox, "closed")),
      .unable(Inability(.plugin, "broken")),
      .unable(Inability(.model, "cut short")),
      .exhausted(Exhaustion(.descriptors, bound: 256, tools: ["a", "b"])),
      .exhausted(Exhaustion(.memory, bound: 2 << 30, tools: [])),
      .fit(id: 1, ContextFit(tokens: 900, window: 1024)),
      .unusedAdmission(turn: 1),
      .text(turn: 1, TextChange(entryID: "e", isReasoning: true, keptBytes: 3, added: "ä")),
      .serverWait(
        turn: 1,
        ServerWait(server: "http://there", reason: "503: \"later\"", seconds: 1.5, waited: 3)
      ),
      .ended(turn: 1, .answered), .ended(turn: 1, .modeChanged), .ended(turn: 1, .finalAnswer),
      .ended(turn: 1, .passed), .ended(turn: 1, .cap("tokens")),
      .ended(turn: 1, .cap("seconds", keepsEntries: true)), .ended(turn: 1, .cancelled),
      .ended(turn: 1, .failed(problem: "no", keepsEntries: true)),
      .ended(turn: 1, .refused(reason: "no", keepsEntries: false)),
      .wantsCores(3), .adopted(grant: 2), .returnsCores,
      .pong(-1),
      .progress(nil),
      .progress(WorkProgress(stage: .loading, done: 1 << 40, total: 1 << 41, seconds: 1 / 3)),
      .progress(WorkProgress(stage: .prefill, done: 7, total: 9, first: 3, seconds: 0.5)),
      .prompt(id: 1, nil),
      .prompt(
        id: .max,
        RenderedPrompt(tokens: 9, cached: 4, cachedText: "<s>\n", computedText: "a \"crane\"\u{0}")
      ),
      .forked(RunID("a-2"), pid: 4712),
      .farewell(.done),
      .farewell(.unable),
    ] + requests.map { .request(id: 1, turn: 1, $0) }

  private static let requests: [WorkerRequest] =
    [
      .admission(.round), .admission(.summary), .record(entries, usage),
      .record([entries[4]], nil, then: .round), .recordEarly(entries[4]),
      .recordState(StateChange(properties: ["topic": "\"a crane\""])),
      .recordState(StateChange(properties: [:], history: edit)),
      .recordState(
        StateChange(
          properties: [:],
          context: ContextReport(
            exchanges: 1,
            cutOutputs: 2,
            tokensBefore: 3,
            tokensAfter: 4,
            window: 5,
            isSummarized: true,
            isShared: false
          ),
          usage: usage
        )
      ),
      .hostTool(callID: "c", .approval), .hostTool(callID: "c", .passBaton(to: "tutorial")),
      .hostTool(callID: "c", .phone(agent: "title", prompt: "a \"crane\"")),
      .hostTool(callID: "c", .client(also: ["d"])),
      .hostTool(
        callID: "c",
        .mcp(.call(server: "git", tool: "log", arguments: #"{"z": 1.50, "a": 2}"#), window: 4096)
      ),
      .hostTool(callID: "c", .mcp(.read(output: "git_log-1", offset: 12_000), window: nil)),
    ] + entries.map { .record([$0], nil) }

  private static let edit = HistoryEdit(
    from: transcript,
    to: Array(transcript.dropFirst(2) + transcript.prefix(1))
  )

  /// What a friend can have used at most, in all of its requests.
  private static let largestSums = TokenUsage(
    input: .init(totalTokenCount: ValueLimits.sum, cachedTokenCount: ValueLimits.sum),
    output: .init(totalTokenCount: ValueLimits.sum, reasoningTokenCount: ValueLimits.sum)
  )

  static let usage = RequestUsage(
    tokensIn: 10,
    tokensCached: 4,
    tokensOut: 3,
    secondsToFirstToken: 0.125,
    seconds: 1.5,
    cacheBreak: CacheBreak(token: 7, lost: 3, cause: "instructions", was: "a", now: "b"),
    contextSize: 512
  )

  private static let description = AgentDescription(Folder())

  private static let entries = transcript.compactMap { try? RawEntry($0) }

  private static let transcript: [Transcript.Entry] = [
    .instructions(.init(segments: [text("Be kind.")], toolDefinitions: description.tools)),
    .prompt(.init(segments: [text("How do I fold a crane?"), text("")])),
    .reasoning(.init(segments: [text("Hm.")])),
    .toolCalls(
      .init([
        .init(
          id: "c1",
          toolName: "look_up",
          arguments: GeneratedContent(properties: ["name": "crane"])
        ),
        .init(
          id: "c2",
          toolName: "look_up",
          arguments: GeneratedContent(properties: ["name": "\"\u{7}\""])
        ),
      ])
    ),
    .toolOutput(.init(id: "c1", toolName: "look_up", segments: [text("1. Fold.\n2. Unfold.")])),
    .response(.init(segments: [text("Like this: \u{2028}…")])),
  ]

  private static func text(_ content: String) -> Transcript.Segment {
    .text(.init(content: content))
  }
}

/// An agent that is described but never run.
private struct Folder: Agent {
  let name = "folder"
  let description = "folds paper"

  var body: some DynamicProfile {
    Profile {
      Instructions("You fold paper.")
      PassBaton(to: "coach")
    }
  }
}
