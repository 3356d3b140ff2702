import AgentKit
import Testing

@testable import Coordination

/// Calls that repeat without bringing anything new.
struct RepetitionTests {
  private var repetition = Repetition()
  private var made = 0

  /// Makes a call, if it may be made, and records its output.
  private mutating func call(
    _ tool: String,
    _ arguments: String = "{}",
    returning output: String,
    by agent: String = "a",
    passes: Bool = false,
    limit: Int = 2
  ) throws -> Repetition.Verdict {
    made += 1
    let id = "\(made)"
    let calls = Transcript.ToolCalls([
      .init(id: id, toolName: tool, arguments: try GeneratedContent(json: arguments))
    ])
    let verdict = repetition.judge(calls, by: agent, limit: limit)
    if passes { repetition.recordPass(id) }
    let text = verdict.repeated.isEmpty ? output : "not again"
    repetition.record(.init(id: id, toolName: tool, segments: [.text(.init(content: text))]))
    return verdict
  }

  private static let made = Repetition.Verdict()
  private static let told = Repetition.Verdict(repeated: [0])
  private static let over = Repetition.Verdict(repeated: [0], endsLoop: true)

  @Test mutating func `The same call with the same result is made so often, told, and ended`()
    throws
  {
    let verdicts = try (0..<4).map { _ in try call("look", returning: "nothing") }
    #expect(verdicts == [Self.made, Self.made, Self.told, Self.over])
  }

  @Test mutating func `The order of arguments and the form of numbers make no other call`() throws {
    for arguments in [#"{"a": 1, "b": [2]}"#, #"{"b":[2.0],"a":1.0}"#] {
      #expect(try call("look", arguments, returning: "nothing") == Self.made)
    }
    #expect(try call("look", #"{"a":10e-1,"b":[2]}"#, returning: "nothing") == Self.told)
  }

  @Test mutating func `Other arguments, other tools and other agents make other calls`() throws {
    for number in 0..<5 {
      #expect(try call("look", #"{"at": \#(number)}"#, returning: "nothing") == Self.made)
      #expect(try call("tool\(number)", returning: "nothing") == Self.made)
      #expect(try call("look", returning: "nothing", by: "agent\(number)") == Self.made)
    }
  }

  @Test mutating func `A call that returns something else each time may go on`() throws {
    for number in 0..<20 {
      #expect(try call("next", returning: "\(number / 2)", limit: 3) == Self.made)
    }
  }

  @Test mutating func `A circle of calls is ended as well`() throws {
    var verdicts: [Repetition.Verdict] = []
    for _ in 0..<4 {
      for tool in ["look", "listen"] { verdicts.append(try call(tool, returning: "nothing")) }
    }
    let made = Array(repeating: Self.made, count: 5)
    #expect(verdicts == made + [Self.told, Self.over, Self.over])
  }

  @Test mutating func `A call between which others bring something new may go on`() throws {
    for number in 0..<9 {
      #expect(try call("edit", #"{"line": \#(number)}"#, returning: "ok") == Self.made)
      for _ in 0..<2 { #expect(try call("test", returning: "1 failed") == Self.made) }
    }
    // If something new turns up after the warning, the model is warned again before the turn ends.
    #expect(try call("test", returning: "1 failed") == Self.told)
    _ = try call("edit", #"{"line": 9}"#, returning: "ok")
    for _ in 0..<2 { _ = try call("test", returning: "1 failed") }
    #expect(try call("test", returning: "1 failed") == Self.told)
    #expect(try call("test", returning: "1 failed") == Self.over)
  }

  @Test mutating func `Several calls of one round are told once`() throws {
    for tool in ["look", "listen", "look", "listen", "look"] {
      _ = try call(tool, returning: "nothing")
    }
    let none = GeneratedContent(properties: [:])
    let round = Transcript.ToolCalls(
      ["look", "smell", "listen"].map { .init(id: $0, toolName: $0, arguments: none) }
    )
    let verdict = repetition.judge(round, by: "a", limit: 2)
    #expect(verdict == Repetition.Verdict(repeated: [0, 2]))
  }

  @Test(arguments: [true, false])
  func `A baton may go back and forth as long as something is done`(works: Bool) throws {
    var tests = self
    var verdicts: [Repetition.Verdict] = []
    for number in 0..<6 {
      for (giver, receiver) in [("a", "b"), ("b", "a")] {
        if works { _ = try tests.call("write", #"{"n": \#(number)}"#, returning: giver, by: giver) }
        verdicts.append(
          try tests.call("pass", returning: "with \(receiver)", by: giver, passes: true)
        )
      }
    }
    #expect(verdicts.allSatisfy { $0 == Self.made } == works)
  }
}
