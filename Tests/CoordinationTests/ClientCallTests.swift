import AgentKit
import Foundation
import GRDB
import Testing
import Wire

@testable import Coordination
@testable import Journal

/// Calls that the client of a turn performs.
@Suite(.timeLimit(.minutes(5)))
struct ClientCallTests {
  static let options = TurnOptions(
    clientTools: ["look", "edit"].map { name in
      ClientTool(
        name: name,
        description: "",
        parameters: JSONSchema(GeneratedContent(properties: [:]))
      )
    }
  )

  /// Makes one round with calls for the client, and answers with their outputs.
  static func asking(_ ids: String...) -> Script {
    let ids = ids.isEmpty ? ["1"] : ids
    return serving { turn in
      if turn.worker.unfinishedCalls.isEmpty {
        try await turn.admission()
        try await turn.record(.calls(ids, "look"))
      }
      let outputs = try await turn.performed(by: turn.worker.unfinishedCalls.map(\.id))
      for output in outputs {
        try await turn.record(.output(output.callID, "look", output.text))
      }
      return try await turn.answer(outputs.map(\.text).joined(separator: " "))
    }
  }

  private func say(
    _ prompt: String = "go",
    to table: Table,
    caps: Caps = Caps(),
    watch: @escaping @Sendable (TurnEvent) -> Void = { _ in }
  ) async throws -> TurnSummary? {
    try await table.talk.respond(to: prompt, caps: caps, options: Self.options, watch: watch)
  }

  private func submit(
    _ outputs: KeyValuePairs<String, String>,
    to table: Table,
    turn: Int64? = nil,
    request: String? = nil,
    watch: @escaping @Sendable (TurnEvent) -> Void = { _ in }
  ) async throws -> TurnSummary? {
    let outputs = outputs.map { ClientToolOutput(callID: $0.key, text: $0.value) }
    return try await table.talk.submit(outputs, turn: turn, request: request, watch: watch)
  }

  private func waiting(_ watched: Watched) -> [[String]] {
    watched.all.compactMap { event in
      if case .clientCalls(let calls) = event { calls.map(\.id) } else { nil }
    }
  }

  @Test func `The turn waits on disk, and goes on with the outputs`() async throws {
    let table = try Table(["a": Self.asking("1", "2")])
    let (first, second) = (Watched(), Watched())
    #expect(try await say(to: table, watch: first.note) == nil)
    #expect(waiting(first) == [["1", "2"]])
    guard case .clientCalls? = first.all.last else {
      Issue.record("The events of the prompt do not end with what the turn waits for.")
      return
    }
    let reader = JournalReader(table.journal)
    let calls = try await reader.clientCalls()
    #expect(calls.map(\.callID) == ["1", "2"])
    #expect(calls.map(\.session) == ["talk", "talk"])
    #expect(calls.map(\.tool) == ["look", "look"])
    #expect(await table.sessions.workers().map(\.state) == [.waitingForClient])

    let summary = try await submit(["2": "two", "1": "one"], to: table, watch: second.note)
    #expect(summary?.exit == .answered)
    #expect(summary?.answer == "one two")
    #expect(second.all.first == .clientAnswered(turn: 1, calls: ["2", "1"]))
    guard case .ended? = second.all.last else {
      Issue.record("The events of the outputs do not end with the end of the turn.")
      return
    }
    #expect(first.ends == 0)
    #expect(try await reader.clientCalls().isEmpty)
    #expect(
      try await table.words() == [
        "prompt: go", "calls: look,look", "output: one", "output: two", "response: one two",
      ]
    )
  }

  @Test func `A part of the outputs leaves it waiting for the rest`() async throws {
    let table = try Table(["a": Self.asking("1", "2")])
    let watched = Watched()
    #expect(try await say(to: table) == nil)
    #expect(try await submit(["2": "two"], to: table, watch: watched.note) == nil)
    #expect(waiting(watched) == [["1"]])
    #expect(try await submit(["1": "one"], to: table)?.answer == "one two")
  }

  @Test func `Outputs that no call waits for are refused, and change nothing`() async throws {
    let table = try Table(["a": Self.asking("1", "2")])
    await #expect(throws: ClientCallError.notWaiting(session: "talk")) {
      try await submit(["1": "x"], to: table)
    }
    _ = try await say(to: table)
    await #expect(throws: ClientCallError.unknown(call: "3")) {
      try await submit(["1": "x", "3": "x"], to: table)
    }
    await #expect(throws: ClientCallError.twice(call: "1")) {
      try await submit(["1": "x", "1": "y"], to: table)
    }
    await #expect(throws: ClientCallError.nothing) { try await submit([:], to: table) }
    await #expect(throws: ClientCallError.otherTurn(7, session: "talk")) {
      try await submit(["1": "x"], to: table, turn: 7)
    }
    let long = String(repeating: "x", count: ClientCallError.maximumBytes)
    await #expect(throws: ClientCallError.tooLarge(bytes: long.utf8.count + 1)) {
      try await submit(["1": long], to: table)
    }
    #expect(try await submit(["1": "one"], to: table, turn: 1, request: "r") == nil)
    await #expect(throws: ClientCallError.answered(call: "1")) {
      try await submit(["1": "other"], to: table, request: "r")
    }
    await #expect(throws: ClientCallError.answered(call: "1")) {
      try await submit(["1": "one"], to: table, request: "another")
    }
    // The same request, sent again by a client that did not see it accepted.
    #expect(try await submit(["1": "one"], to: table, request: "r") == nil)
    #expect(try await submit(["2": "two"], to: table)?.answer == "one two")
    await #expect(throws: ClientCallError.notWaiting(session: "talk")) {
      try await submit(["2": "two"], to: table)
    }
  }

  @Test func `Outputs may be images, which the journal keeps and the agent is shown`()
    async throws
  {
    let png = `An image that comes with a prompt`.png()
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.calls(["1"], "look"))
        for output in try await turn.performed(by: ["1"]) {
          let entry = Transcript.ToolOutput(
            id: output.callID,
            toolName: "look",
            segments: output.segments
          )
          try await turn.record(.toolOutput(entry))
        }
        return try await turn.answer("seen")
      }
    ])
    _ = try await say(to: table)
    let output = ClientToolOutput(callID: "1", text: "a crane", images: [png])
    let flawed = ClientToolOutput(callID: "1", text: "", images: [Data("GIF89a".utf8)])
    let error = await #expect(throws: ClientCallError.self) {
      try await table.talk.submit([flawed], turn: nil, request: nil) { _ in }
    }
    guard case .badImage(call: "1", _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let summary = try await table.talk.submit([output], turn: nil, request: nil) { _ in }
    #expect(summary?.answer == "seen")
    let facts = try await JournalReader(table.journal).facts(of: 1)
    #expect(facts.contains { $0.event == .answeredClient([output], request: nil) })
    #expect(try await table.words().contains("output: a crane\n[image, PNG, 2×3, 29 bytes]"))
  }

  @Test func `A death while it waits loses nothing`() async throws {
    let table = try Table(["a": Self.asking("1", "2")])
    _ = try await say(to: table)
    _ = try await submit(["1": "one"], to: table)
    let first = try #require(table.workers.launched.last)
    first.end(.signaled(9))
    await eventually { table.workers.launched.count == 2 }
    let summary = try await submit(["2": "two"], to: table)
    #expect(summary?.answer == "one two")
    #expect(table.workers.launched.flatMap(\.orders).count == 2)
    let asked = try await JournalReader(table.journal).facts(of: 1).count { fact in
      if case .askedClient = fact.event { true } else { false }
    }
    #expect(asked == 1)
  }

  @Test func `After a restart it still waits, and goes on with the outputs`() async throws {
    let before = try Table(["a": Self.asking("1", "2")])
    _ = try await say(to: before)
    let table = try Table(["a": Self.asking("1", "2")], after: before)
    let told = Watched()
    try await table.sessions.resumeInterrupted { _, event in told.note(event) }
    #expect(told.all.count == 1)
    #expect(table.workers.launched.isEmpty)
    #expect(try await table.talk.waitsForClient)
    let watched = Watched()
    #expect(try await submit(["1": "one"], to: table, request: "r", watch: watched.note) == nil)
    #expect(waiting(watched) == [["2"]])
    #expect(table.workers.launched.isEmpty)

    let last = try Table(["a": Self.asking("1", "2")], after: table)
    #expect(
      try await submit(["1": "one", "2": "two"], to: last, request: "r")?.answer == "one two"
    )
    #expect(
      try await last.words() == [
        "prompt: go", "calls: look,look", "output: one", "output: two", "response: one two",
      ]
    )
  }

  @Test func `Restarts while it waits do not count against it`() async throws {
    // A table removes the journal when it goes.
    var tables = [try Table(["a": Self.asking("1", "2", "3", "4", "5", "6")])]
    _ = try await say(to: tables[0])
    for id in ["1", "2", "3", "4", "5"] {
      let table = try Table(["a": Self.asking()], after: tables.last)
      tables.append(table)
      // Taken up without an answer, as by a person who looks.
      _ = try await table.talk.resume { _ in }
      #expect(try await submit([id: id], to: table) == nil)
    }
    let last = try Table(["a": Self.asking()], after: tables.last)
    #expect(try await submit(["6": "6"], to: last)?.answer == "1 2 3 4 5 6")
    withExtendedLifetime(tables) {}
  }

  @Test func `A coordinator that stops leaves it to the next`() async throws {
    let before = try Table(["a": Self.asking()])
    _ = try await say(to: before)
    await before.sessions.close()
    let table = try Table(["a": Self.asking()], after: before)
    #expect(try await submit(["1": "one"], to: table)?.answer == "one")
  }

  @Test func `Its worker is let go when it waits long`() async throws {
    let table = try Table(["a": Self.asking()])
    _ = try await say(to: table)
    let held = try await table.talk
    await table.sessions.retireWorkers(idleFor: .seconds(3600))
    #expect(table.workers.launched.map(\.hasEnded) == [false])
    await eventually {
      await table.sessions.retireWorkers(idleFor: .zero)
      return table.workers.launched.allSatisfy(\.hasEnded)
    }
    #expect(await held.waitsForClient)
    #expect(try await submit(["1": "one"], to: table)?.answer == "one")
    #expect(table.workers.launched.count == 2)
  }

  @Test(arguments: [false, true])
  func `Another prompt ends it, and its calls stay unanswered`(isRestarted: Bool) async throws {
    let before = try Table(["a": Self.asking("1", "2")])
    _ = try await say(to: before)
    _ = try await submit(["1": "one"], to: before)
    let table = isRestarted ? try Table(["a": Self.asking()], after: before) : before
    defer { withExtendedLifetime(before) {} }
    table.workers.play("a", answering("hello"))
    // A worker that is there plays its first script on.
    if !isRestarted { table.workers.launched.last?.end(.signaled(9)) }
    let watched = Watched()
    let talk = try await table.talk
    let summary = try await talk.respond(to: "else", caps: Caps(), watch: watched.note)
    #expect(summary?.answer == "hello")
    #expect(summary?.turn == 2)
    let words = try await table.words()
    #expect(words.prefix(3) == ["prompt: go", "calls: look,look", "output: one"])
    #expect(words.dropFirst(3).first?.contains(#""status": "unanswered""#) == true, "\(words)")
    #expect(words.suffix(2) == ["prompt: else", "response: hello"])
    let turns = try await JournalReader(table.journal).turns(of: 1)
    #expect(turns.map(\.exit) == [.cancelled, .answered])
    #expect(turns.map(\.isReverted) == [false, false])
    // The agent has read what became of the calls.
    let history = table.workers.launched.last?.entries.map(\.words) ?? []
    #expect(history.count == 6, "\(history)")
  }

  @Test func `A prompt ends a turn whose worker has closed its calls itself`() async throws {
    let table = try Table(["a": Self.asking()])
    _ = try await say(to: table)
    let closed = Signal()
    table.workers.play(
      "a",
      serving { turn in
        for call in turn.worker.unfinishedCalls {
          try await turn.record(.output(call.id, "look", "no"))
        }
        closed.fire()
        try await turn.worker.hang()
      }
    )
    table.workers.launched.last?.end(.signaled(9))
    await closed.wait()
    table.workers.play("a", answering("hello"))
    #expect(try await say("else", to: table)?.answer == "hello")
    let turns = try await JournalReader(table.journal).turns(of: 1)
    #expect(turns.map(\.exit) == [.cancelled, .answered])
  }

  @Test(arguments: [false, true])
  func `A prompt that is refused leaves it waiting`(isRestarted: Bool) async throws {
    let before = try Table(["a": Self.asking()])
    _ = try await say(to: before)
    let table = isRestarted ? try Table(["a": Self.asking()], after: before) : before
    defer { withExtendedLifetime(before) {} }
    let image = PromptImage(data: Data("GIF89a".utf8))
    await #expect(throws: ConversationError.self) {
      try await table.talk.respond(to: "else", images: [image], caps: Caps()) { _ in }
    }
    #expect(try await submit(["1": "one"], to: table)?.answer == "one")
  }

  @Test(arguments: [false, true])
  func `It can be cancelled`(isRestarted: Bool) async throws {
    let before = try Table(["a": Self.asking()])
    _ = try await say(to: before)
    let table = isRestarted ? try Table(["a": answering("hello")], after: before) : before
    defer { withExtendedLifetime(before) {} }
    await table.sessions.cancel("talk")
    let reader = JournalReader(table.journal)
    try await eventually { try await reader.turns(of: 1).last?.exit == .cancelled }
    await #expect(throws: ClientCallError.notWaiting(session: "talk")) {
      try await submit(["1": "one"], to: table)
    }
    #expect(try await table.words() == [])
  }

  @Test func `The cap on seconds stands still`() async throws {
    let table = try Table(["a": Self.asking()])
    var caps = Caps()
    // Far more than the turn takes on a busy machine.
    caps.seconds = 15
    _ = try await say(to: table, caps: caps)
    try await Task.sleep(for: .seconds(15.5))
    let summary = try await submit(["1": "one"], to: table)
    #expect(summary?.answer == "one")
    #expect((summary?.seconds ?? 99) < 15)
    let replies = table.workers.launched.flatMap(\.heard).compactMap { message -> Int? in
      if case .reply(_, .client(let answer)) = message { answer.secondsLeft } else { nil }
    }
    #expect(replies.count == 1 && (1...15).contains(replies[0]), "\(replies)")

    // A later coordinator does not count the wait either.
    var facts = try await JournalReader(table.journal).facts(of: 1, turn: 1)
    facts.removeAll { if case .ended = $0.event { true } else { false } }
    try await table.forgetEnd(of: 1)
    let found = try await InterruptedTurn(first: table.journal)
    #expect(found.spent < 15)
  }

  @Test func `What the turn had taken before it waited is still taken when it is left open`()
    async throws
  {
    let table = try Table(["a": Self.asking()])
    _ = try await say(to: table)
    await table.sessions.close()
    // As if it had worked for 7 s, and then waited for 60 s until its coordinator stopped.
    try await table.journal.database.write { db in
      try db.execute(
        sql: """
          UPDATE turn SET started = started - 7;
          UPDATE fact SET at = at + 60 WHERE kind = 'leftOpen';
          """
      )
    }
    let facts = try await JournalReader(table.journal).facts(of: 1, turn: 1)
    #expect(facts.last?.event.kind == .leftOpen)
    let found = try await InterruptedTurn(first: table.journal)
    #expect((7..<30).contains(found.spent), "\(found.spent)")
  }

  @Test func `A client that goes away cancels the turn only while it goes on`() async throws {
    let table = try Table(["a": Self.asking()])
    let prompt = Task { try await say(to: table) }
    #expect(try await prompt.value == nil)
    prompt.cancel()
    table.workers.play("a", serving { try await $0.worker.hang() })
    table.workers.launched.last?.end(.signaled(9))
    await eventually { table.workers.launched.count == 2 }
    let outputs = Task { try await submit(["1": "one"], to: table) }
    let reader = JournalReader(table.journal)
    try await eventually { try await reader.clientCalls().isEmpty }
    outputs.cancel()
    table.workers.launched.last?.end(.signaled(9))
    #expect(try await outputs.value?.exit == .cancelled)
  }

  @Test func `What has the name of a tool of the agent is refused before anything happens`()
    async throws
  {
    let table = try Table(["a": Self.asking()])
    var agent = AgentDescription.served("a")
    agent.takesClientTools = true
    agent.tools = [
      .init(name: "look", description: "", parameters: GenerationSchema(name: "n", properties: []))
    ]
    table.catalog.declare(agent)
    await #expect(throws: ConversationError.toolNameConflict(tool: "look", agent: "a")) {
      try await say(to: table)
    }
    #expect(try await table.words().isEmpty)
    // An agent that takes no functions of clients never sees them.
    agent.takesClientTools = false
    table.catalog.declare(agent)
    #expect(try await say(to: table) == nil)
  }

  @Test(arguments: [
    (["a b"], ClientToolFault.notAName("a b")), (["a", "a"], .twice("a")), ([""], .notAName("")),
    ((0...128).map { "t\($0)" }, .tooMany(129)), (["ä"], .notAName("ä")),
  ])
  func `Functions that cannot be offered are refused`(
    names: [String],
    fault: ClientToolFault
  ) async throws {
    let table = try Table(["a": Self.asking()])
    let tools = names.map { name in
      ClientTool(name: name, description: "", parameters: JSONSchema(GeneratedContent(true)))
    }
    await #expect(throws: fault) {
      try await table.talk.respond(
        to: "go",
        caps: Caps(),
        options: TurnOptions(clientTools: tools)
      ) { _ in }
    }
  }

  @Test(arguments: ["2", "1"])
  func `A worker can ask only about open calls of functions that were sent`(id: String) async throws
  {
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.call("1", "delete"))
        _ = try await turn.performed(by: [id])
        return try await turn.answer("never")
      }
    ])
    let summary = try await say(to: table)
    guard case .failed? = summary?.exit else {
      Issue.record("\(String(describing: summary))")
      return
    }
  }
}

extension FakeTurn {
  /// Has the client perform calls.
  func performed(by calls: [String]) async throws -> [ClientToolOutput] {
    let also = Array(calls.dropFirst())
    guard
      case .client(let answer) = try await ask(
        .hostTool(callID: calls[0], .client(also: also))
      )
    else { throw BadOrder() }
    return answer.outputs
  }
}
