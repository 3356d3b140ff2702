import Testing
import Transcripts

@testable import Coordinator

@Suite struct `What an agent's turns may reach` {
  private func agent(
    _ name: String,
    _ permissions: [Permission],
    batons: [String] = [],
    friends: [String] = []
  ) -> AgentDescription {
    AgentDescription(
      name: name,
      description: "",
      instructions: "",
      tools: [],
      batons: batons,
      friends: friends,
      mode: .allowed,
      reasoningLevel: nil,
      serverModel: nil,
      hasExit: true,
      permissions: permissions
    )
  }

  @Test func `is what it needs itself, and what those need whom it calls, and theirs`() {
    let agents = [
      agent("a", [.network], batons: ["b"], friends: ["absent"]),
      agent("b", [.reading("/b"), .network], batons: ["a"], friends: ["c"]),
      agent("c", [.writing("/c")]), agent("d", [.running("/d")], friends: ["d"]),
    ]
    let reached = agents.map { $0.reachablePermissions(among: agents) }
    #expect(reached[0] == [.network, .reading("/b"), .writing("/c")])
    #expect(Set(reached[1]) == Set(reached[0]))
    #expect(reached[2] == [.writing("/c")])
    #expect(reached[3] == [.running("/d")])
  }
}
