import Testing

@testable import AgentKit

@Suite struct `Dynamic instructions` {
  private func resolve(_ content: some DynamicInstructions) -> ResolvedInstructions {
    var resolved = ResolvedInstructions()
    resolved.append(content)
    return resolved
  }

  @Test func `give text and tools in the order of their declaration`() {
    let resolved = resolve(Workshop(guests: ["Ann", "Ben"], isLate: true))
    #expect(
      resolved.segments.map(\.text) == [
        "You fold paper.", "Ann is here.", "Ben is here.", "Be quick.", "It is late.", "Goodbye.",
      ]
    )
    #expect(resolved.tools.map(\.name) == ["first", "count", "second", "third", "hurry"])
  }

  @Test func `leave out what is absent`() {
    let resolved = resolve(Workshop(guests: [], isLate: false))
    #expect(resolved.segments.map(\.text) == ["You fold paper.", "Take your time.", "Goodbye."])
    #expect(resolved.tools.map(\.name) == ["first", "count", "second", "third"])
  }

  @Test func `may be empty`() {
    let resolved = LanguageModelSession.Profile {}.resolved.instructions
    #expect(resolved.segments.isEmpty)
    #expect(resolved.tools.isEmpty)
  }

  @Test func `may hide their type`() {
    let content = AnyDynamicInstructions(Workshop(guests: ["Cy"], isLate: false))
    #expect(resolve(content).segments.map(\.text)[1] == "Cy is here.")
  }

  @Test func `of several statements keep each as a segment of its own`() {
    let lines = ["one", "two"]
    let instructions = Instructions {
      "Begin."
      for line in lines { line }
      if lines.count > 5 { "Never." }
      GeneratedContent(properties: ["a": 1])
    }
    #expect(instructions.segments.map(\.text) == ["Begin.", "one", "two", #"{"a": 1}"#])
  }

  @Test func `make entry zero with definitions of their tools`() async throws {
    let requests = Requests()
    let session = LanguageModelSession(
      model: requests.model(.text("Hello.")),
      dynamicInstructions: Workshop(guests: [], isLate: true)
    )
    try await session.respond(to: "Hi")
    guard case .instructions(let entry) = requests.all[0].transcript.first else {
      Issue.record("Entry zero is the instructions.")
      return
    }
    #expect(entry.segments.joinedText == "You fold paper.\nBe quick.\nIt is late.\nGoodbye.")
    #expect(entry.toolDefinitions.map(\.name) == ["first", "count", "second", "third", "hurry"])
    #expect(entry.toolDefinitions[1].parameters == Counting.Arguments.generationSchema)
  }

  private struct Workshop: DynamicInstructions {
    let guests: [String]
    let isLate: Bool

    var body: some DynamicInstructions {
      Plain(name: "first")
      Instructions("You fold paper.")
      Counting()
      EmptyDynamicInstructions()
      ForEach(guests, id: \.self) { guest in
        Instructions("\(guest) is here.")
      }
      [Plain(name: "second"), Plain(name: "third")] as [any Tool]
      Pace(isLate: isLate)
      if isLate {
        Instructions("It is late.")
      }
      Instructions { "Goodbye." }
    }
  }

  private struct Pace: DynamicInstructions {
    let isLate: Bool

    var body: some DynamicInstructions {
      if isLate {
        Instructions("Be quick.")
        Plain(name: "hurry")
      } else {
        Instructions("Take your time.")
      }
    }
  }
}
