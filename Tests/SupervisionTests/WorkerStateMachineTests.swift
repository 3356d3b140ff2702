import AgentKit
import Testing
import Wire

@testable import Supervision

@Suite struct `A worker's state machine` {
  @Test func `goes through preamble, greeting and loading to ready`() {
    var life = WorkerStateMachine()
    #expect(life.state == .awaitingPreamble)
    #expect(life.isLoading)
    #expect(read(&life, WireLimits.preamble).messages == [])
    #expect(life.state == .awaitingGreeting)
    #expect(say(&life, Said.greeting).messages == [Said.greeting])
    #expect(life.state == .loading)
    #expect(say(&life, Said.ready).messages == [Said.ready])
    #expect(life.state == .ready)
    #expect(!life.isLoading)
  }

  @Test func `accepts a banner before the preamble`() {
    var life = WorkerStateMachine()
    let reading = read(&life, Array("Welcome\n".utf8) + WireLimits.preamble)
    #expect(reading.banner == Array("Welcome\n".utf8))
    #expect(reading.breach == nil)
    #expect(life.state == .awaitingGreeting)
  }

  @Test func `accepts all messages in one read`() throws {
    var life = WorkerStateMachine()
    let said = [Said.greeting, Said.ready, .pong(1), Said.farewell]
    let bytes = try said.flatMap { try MessageEncoder().frames(of: $0).flatMap(\.bytes) }
    #expect(read(&life, WireLimits.preamble + bytes).messages == said)
    #expect(life.state == .leaving(.done))
  }

  @Test(arguments: Said.whileServing)
  func `accepts every message of a serving worker`(message: FromWorker) {
    var life = Said.life(.ready)
    #expect(say(&life, message).messages == [message])
    #expect(life.state == .ready)
  }

  @Test func `accepts unable and a farewell while loading`() {
    var life = Said.life(.loading)
    let unable = FromWorker.unable(Inability(.model, "no"))
    #expect(say(&life, unable).messages == [unable])
    #expect(say(&life, Said.unableFarewell).breach == nil)
    #expect(life.state == .leaving(.unable))
  }

  @Test(arguments: [Said.ready, Said.farewell] + Said.whileServing)
  func `rejects every message before the greeting`(message: FromWorker) {
    expectBreach(of: message, in: .greeting)
  }

  @Test(arguments: Said.sinceGreeting)
  func `accepts messages about the process while loading`(message: FromWorker) {
    var life = Said.life(.loading)
    #expect(say(&life, message).messages == [message])
    #expect(life.state == .loading)
  }

  @Test(arguments: [Said.greeting] + Said.onlyReady)
  func `rejects messages of a turn while loading`(message: FromWorker) {
    expectBreach(of: message, in: .loading)
  }

  @Test(arguments: [Said.greeting, Said.ready, .unable(Inability(.model, "no"))])
  func `rejects a second greeting and a second ready`(message: FromWorker) {
    expectBreach(of: message, in: .ready)
  }

  @Test func `rejects a greeting of another version`() {
    var life = Said.life(.greeting)
    let greeting = Greeting(version: WireLimits.version + 1, pid: 1, fingerprint: "f")
    let reading = say(&life, .greeting(greeting))
    #expect(reading.messages == [])
    #expect(reading.breach == .otherVersion(WireLimits.version + 1))
  }

  @Test func `reports which message came out of turn, and in which state`() {
    var life = Said.life(.ready)
    let late = say(&life, Said.greeting).breach
    #expect(late?.description == "a message out of turn: greeting while ready")
    life = Said.life(.loading)
    let early = say(&life, .rehearsed).breach
    #expect(early?.description == "a message out of turn: rehearsed while loading")
  }

  @Test func `returns the messages before a violation, and none after it`() throws {
    var life = Said.life(.ready)
    let pong = try MessageEncoder().frames(of: FromWorker.pong(1)).flatMap(\.bytes)
    let reading = read(&life, pong + [0, 0, 0, 0, 9] + pong)
    #expect(reading.messages == [.pong(1)])
    #expect(reading.breach == .unknownKind(9))
    #expect(read(&life, pong).messages == [])
  }

  @Test func `rejects messages with invalid values`() {
    var life = Said.life(.ready)
    let change = TextChange(entryID: "e", isReasoning: false, keptBytes: -1, added: "")
    let reading = say(&life, .text(turn: 1, change))
    #expect(reading.messages == [])
    #expect(reading.breach == .invalidValue("kept bytes: -1"))
  }

  @Test func `ignores everything after the farewell`() {
    var life = Said.life(.leaving)
    let reading = read(&life, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
    #expect(reading.breach == nil)
    #expect(reading.messages == [])
  }

  @Test(arguments: Said.Stage.allCases)
  func `keeps the first reason for termination`(stage: Said.Stage) {
    var life = Said.life(stage)
    #expect(terminate(&life, .hung(seconds: 1)))
    #expect(!terminate(&life, .notReady(seconds: 2)))
    #expect(end(&life, .signal(9)) == .hung(seconds: 1))
    #expect(!terminate(&life, .notReady(seconds: 3)))
  }

  @Test func `keeps a protocol violation as the reason`() {
    var life = Said.life(.ready)
    _ = read(&life, [0, 0, 0, 0, 9])
    #expect(!terminate(&life, .hung(seconds: 1)))
    #expect(end(&life, .signal(9)) == .breach("a frame of the unknown kind 9"))
  }

  @Test(
    arguments: Said.Stage.allCases,
    [.code(0), .code(3), .signal(6)] as [Supervision.ExitStatus]
  )
  func `ends properly only with a farewell`(stage: Said.Stage, status: Supervision.ExitStatus) {
    var life = Said.life(stage)
    let cause = life.end(status)
    #expect(life.state == .ended)
    switch (stage, status) {
    case (.leaving, _): #expect(cause == .farewell(.done))
    case (_, .code(let code)): #expect(cause == .exited(code: code))
    case (_, .signal(let signal)): #expect(cause == .signaled(signal))
    }
  }

  private func expectBreach(of message: FromWorker, in stage: Said.Stage) {
    var life = Said.life(stage)
    let reading = say(&life, message)
    #expect(reading.messages == [])
    #expect(reading.breach == .outOfTurn("\(message.kindName) while \(Said.life(stage).state)"))
  }

  private func say(_ life: inout WorkerStateMachine, _ message: FromWorker)
    -> WorkerStateMachine.Reading
  {
    read(&life, Said.bytes(message))
  }

  private func terminate(_ life: inout WorkerStateMachine, _ cause: Death.Cause) -> Bool {
    life.terminate(reason: cause)
  }

  private func end(_ life: inout WorkerStateMachine, _ status: Supervision.ExitStatus)
    -> Death.Cause
  {
    life.end(status)
  }

  private func read(_ life: inout WorkerStateMachine, _ bytes: [UInt8])
    -> WorkerStateMachine.Reading
  {
    life.read(bytes)
  }
}

/// Messages of workers, and lives at the stages in which they are sent.
enum Said {
  enum Stage: CaseIterable {
    case silent, greeting, loading, ready, leaving
  }

  static let greeting = FromWorker.greeting(Greeting(pid: 1, fingerprint: "f"))
  static let ready = FromWorker.ready(Readiness(model: nil))
  static let farewell = FromWorker.farewell(.done)
  static let unableFarewell = FromWorker.farewell(.unable)
  /// What a worker may say as soon as it has greeted.
  static let sinceGreeting: [FromWorker] = [
    .pong(1), .wantsCores(1), .adopted(grant: 1), .returnsCores,
  ]
  /// What only a worker that is ready may say.
  static let onlyReady: [FromWorker] = [
    .rehearsed, .request(id: 1, turn: 1, .admission(.round)),
    .request(id: 2, turn: 1, .hostTool(callID: "c", .phone(agent: "b", prompt: "p"))),
    .text(turn: 1, TextChange(entryID: "e", isReasoning: false, keptBytes: 0, added: "a")),
    .serverWait(turn: 1, ServerWait(server: "s", reason: "503", seconds: 1, waited: 0)),
    .fit(id: 1, ContextFit(tokens: 900, window: 1024)),
    .exhausted(Exhaustion(.memory, bound: 1, tools: [])), .ended(turn: 1, .answered),
    .forked(RunID("f"), pid: 2),
  ]
  static let whileServing = sinceGreeting + onlyReady

  static func life(_ stage: Stage) -> WorkerStateMachine {
    var life = WorkerStateMachine()
    let steps = [WireLimits.preamble, bytes(greeting), bytes(ready), bytes(farewell)]
    let count = Stage.allCases.firstIndex(of: stage) ?? 0
    for step in steps.prefix(count) { _ = life.read(step) }
    return life
  }

  static func bytes(_ message: FromWorker) -> [UInt8] {
    (try? MessageEncoder().frames(of: message).flatMap(\.bytes)) ?? []
  }
}
