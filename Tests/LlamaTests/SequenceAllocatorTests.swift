import AgentKit
import Llama
import Testing

@Suite(.timeLimit(.minutes(5))) struct ResidencyTests {
  private let model: LlamaModel

  init() throws {
    model = try Fixture.model()
  }

  private func generation(size: Int = 1024, cachedSequences: Int = 4) throws -> Generation {
    Generation(context: try Fixture.context(model, size: size, sequences: cachedSequences))
  }

  @Test func `two profiles that take turns compute only what each has not seen`() throws {
    let shared = try generation()
    var host = Conversation.host
    var coach = Conversation.coach
    try host.ask("I have paper and string.", shared)
    try coach.ask("I finished the boat.", shared)
    let hostAgain = try host.ask("What else can I make?", shared)
    let coachAgain = try coach.ask("And the kite?", shared)
    #expect(hostAgain.usage.cached > 100)
    #expect(coachAgain.usage.cached > 100)
    #expect(hostAgain.usage.computed < 40)
    #expect(coachAgain.usage.computed < 40)
    #expect(hostAgain.usage.cacheBreak == nil)
    #expect(coachAgain.usage.cacheBreak == nil)

    // Proves that the check works: one resident is not enough for two conversations.
    let crowded = try generation(cachedSequences: 1)
    var (first, second) = (Conversation.host, Conversation.coach)
    try first.ask("I have paper and string.", crowded)
    try second.ask("I finished the boat.", crowded)
    #expect(try first.ask("What else can I make?", crowded).usage.computed > 40)
  }

  @Test func `a profile that comes back says what it says alone`() throws {
    let shared = try generation()
    var (host, coach) = (Conversation.host, Conversation.coach)
    try host.ask("I have paper and string.", shared)
    try coach.ask("I finished the boat.", shared)
    let together = try host.ask("What else can I make?", shared).message
    let alone = try generation(cachedSequences: 1)
    var same = Conversation.host
    try same.ask("I have paper and string.", alone)
    #expect(try same.ask("What else can I make?", alone).message == together)
  }

  @Test func `a full context forgets the profile that was left alone the longest`() throws {
    let small = try generation(size: 256)
    var (host, coach) = (Conversation.host, Conversation.coach)
    try host.ask("I have paper and string.", small)
    try coach.ask("I finished the boat.", small)
    var third = Conversation(instructions: String(repeating: "Speak of folded paper. ", count: 8))
    // So few that this conversation alone cannot be too long, whatever its answers.
    for _ in 0..<2 { try third.ask("How do I fold a crane?", small) }
    let held = (0..<4).map { small.context.tokens(in: $0).count }
    #expect(held.reduce(0, +) <= small.context.contextSize)
    var same = third
    let answer = try third.ask("And a fox?", small).message
    #expect(try same.ask("And a fox?", generation(size: 256, cachedSequences: 1)).message == answer)
  }

  @Test func `changed instructions are reported with their place and both texts`() throws {
    let generation = try generation()
    var monday = Conversation.host
    monday.instructions += " Today is Monday, and the room is open."
    try monday.ask("I have paper and string.", generation)
    monday.instructions.replace("Monday", with: "Friday")
    let found = try #require(
      try monday.ask("What else?", generation).usage.cacheBreak
    )
    #expect(found.cause == "the instructions changed")
    #expect(found.was.contains("Mon"))
    #expect(found.now.contains("Fri"))
    #expect(found.token > 20)
    #expect(found.lost > 20)
  }

  @Test func `an entry that a transform leaves out is reported`() throws {
    let generation = try generation()
    var host = Conversation.host
    try host.ask("I have paper and string and a lot of time.", generation)
    try host.ask("What else can I make of it?", generation)
    host.entries.removeFirst(2)
    let found = try #require(try host.ask("And then?", generation).usage.cacheBreak)
    #expect(found.cause == "2 entries before entry 1 of the history (prompt) were left out")
  }

  @Test func `a changed entry in the middle is computed from there`() throws {
    let generation = try generation()
    var host = Conversation.host
    try host.ask("I have paper.", generation)
    try host.ask("What can I make of it?", generation)
    let head = try #require(host.entries.first)
    guard case .prompt(var prompt) = head else {
      Issue.record("\(head)")
      return
    }
    prompt.segments = [.text(.init(content: "I have wool."))]
    host.entries[0] = .prompt(prompt)
    let result = try host.ask("And then?", generation)
    let found = try #require(result.usage.cacheBreak)
    #expect(found.cause == "entry 1 of the history (prompt) changed")
    #expect(result.usage.cached == found.token)
    #expect(result.usage.cached > 20)
  }
}
