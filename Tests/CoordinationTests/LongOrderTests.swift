import AgentKit
import Testing
import Wire

@testable import Coordination

@Suite(.timeLimit(.minutes(5))) struct `An order too long for one message` {
  private static func entries(_ lengths: [Int]) -> [Transcript.Entry] {
    lengths.enumerated().map { place, length in
      let text = "\(place)" + String(repeating: "x", count: length)
      return .prompt(.init(segments: [.text(.init(content: text))]))
    }
  }

  private static func worker() -> FakeWorker {
    let agent = LaunchableAgent(
      name: "a",
      plugin: "a.so",
      model: nil,
      contextSize: nil
    )
    return FakeWorker(agent, run: RunID.new(agent: "a"), pid: 1)
  }

  private static let half = WireLimits.message / 2

  @Test(arguments: [[9, 9, 9], [half, 9, half, 9, half, 9, half], [9, 9, 9, 9, half, half]])
  func `is told in parts, and all of it is known in its order`(lengths: [Int]) throws {
    let worker = Self.worker()
    let known = Self.entries([5, 5])
    try worker.begin(TurnOrder(turn: 1, kept: 0, added: raw(known)))
    let added = Self.entries(lengths)
    try worker.send(TurnOrder(turn: 2, kept: 1, added: raw(added))) { .turn($0) }
    let order = try #require(worker.orders.first)
    #expect(worker.heard.count == 1)
    #expect(order.kept + order.added.count == 1 + lengths.count)
    try worker.begin(order)
    #expect(worker.entries == known.prefix(1) + added)
  }

  @Test(arguments: [
    ([half, half], [9]), ([6 << 20], [9, 12 << 20]), ([half, half, half], [half, 9, half]),
  ])
  func `is told in parts, whatever makes it so long`(
    properties: [Int],
    lengths: [Int]
  ) throws {
    let worker = Self.worker()
    let values = Dictionary(
      uniqueKeysWithValues: properties.enumerated().map { place, length in
        ("property \(place)", String(repeating: "x", count: length))
      }
    )
    let added = Self.entries(lengths)
    try worker.send(TurnOrder(turn: 1, kept: 0, added: raw(added), properties: values)) {
      .turn($0)
    }
    #expect(worker.heard.count == 1)
    try worker.begin(try #require(worker.orders.first))
    #expect(worker.entries == added)
    #expect(worker.properties == values)
  }

  @Test func `is refused when one property alone is too long`() throws {
    let long = ["topic": String(repeating: "x", count: WireLimits.message), "count": "1"]
    let order = TurnOrder(turn: 1, kept: 0, added: try raw(Self.entries([9])), properties: long)
    #expect(throws: WireBreach.messageTooLong(limit: WireLimits.message)) {
      try Self.worker().send(order) { .turn($0) }
    }
  }

  @Test func `does not come about by a prompt, which is refused before`() async throws {
    let table = try Table(["a": answering("hello")])
    try await table.say("one")
    // JSON encodes each of these characters as six bytes.
    await #expect(throws: ConversationError.self) {
      try await table.say(String(repeating: "\u{1}", count: WireLimits.message / 5))
    }
    #expect(try await table.say("three").answer == "hello")
    #expect(table.workers.launched.count == 1)
  }

  @Test func `is refused when one entry alone is too long`() throws {
    let order = TurnOrder(
      turn: 1,
      kept: 0,
      added: try raw(Self.entries([9, WireLimits.message, 9]))
    )
    #expect(throws: WireBreach.messageTooLong(limit: WireLimits.message)) {
      try Self.worker().send(order) { .turn($0) }
    }
  }
}

private func raw(_ entries: [Transcript.Entry]) throws -> [RawEntry] {
  try entries.map { try RawEntry($0) }
}
