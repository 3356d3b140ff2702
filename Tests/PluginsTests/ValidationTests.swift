import AgentKit
import Testing

@testable import Plugins

struct ValidationTests {
  private func plugin(
    _ source: String,
    _ change: (inout AgentDescription) -> Void = { _ in }
  ) -> PluginStore.Plugin {
    var description = AgentDescription(Blank())
    description.name = source.lowercased()
    change(&description)
    return PluginStore.Plugin(
      source: source,
      path: "/Agents/\(source).swift",
      library: "\(source).so",
      description: description
    )
  }

  private func findings(_ plugins: PluginStore.Plugin...) -> [String] {
    Validation.findings(in: plugins).map(\.description)
  }

  private func tool(_ name: String) -> Transcript.ToolDefinition {
    .init(
      name: name,
      description: "",
      parameters: GenerationSchema(type: String.self, anyOf: ["a"])
    )
  }

  @Test func `Agents with nothing wrong have no findings`() {
    #expect(
      findings(
        plugin("A") { agent in
          agent.batons = ["b"]
          agent.friends = ["b", "a"]
          agent.tools = [tool("x"), tool("y")]
        },
        plugin("B") { agent in
          agent.mode = .required
          agent.tools = [tool("x")]
          agent.hasExit = true
        }
      ).isEmpty
    )
  }

  @Test func `Two agents with one name`() {
    let words = "Its name 'a' is also the name of A, which is used. Names must be unique."
    #expect(findings(plugin("A"), plugin("B") { $0.name = "a" }) == ["B: error: \(words)"])
    // This covers a file and a folder of the same name as well.
    #expect(findings(plugin("A"), plugin("A")) == ["A: error: \(words)"])
  }

  @Test func `A baton or a call to an agent that does not exist`() {
    let agent = plugin("A") { agent in
      agent.batons = ["c"]
      agent.friends = ["d"]
    }
    #expect(
      findings(agent, plugin("B")) == [
        "A: error: It passes the baton to 'c', but there is no such agent. Available agents: a, b.",
        "A: error: It phones 'd', but there is no such agent. Available agents: a, b.",
      ]
    )
  }

  @Test func `A baton to itself`() {
    let agent = plugin("A") { $0.batons = ["a"] }
    #expect(findings(agent) == ["A: error: It passes the baton to itself."])
  }

  @Test func `Required calls without tools, and without an end`() {
    let words = "Its tool calls are required, but"
    #expect(
      findings(plugin("A") { $0.mode = .required }) == ["A: error: \(words) it has no tools."]
    )
    let looping = plugin("A") { agent in
      agent.mode = .required
      agent.tools = [tool("x")]
      agent.friends = ["b"]
    }
    let found = findings(looping, plugin("B"))
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("A: error: \(words) nothing ends the loop") == true)
  }

  @Test func `Required calls of a tool that may end them`() {
    let agent = plugin("A") { agent in
      agent.mode = .required
      agent.tools = [tool("x")]
    }
    #expect(findings(agent).count == 1)
    #expect(findings(agent).first?.hasPrefix("A: warning: Its tool calls are required") == true)
    #expect(findings(agent).first?.contains("returning Never") == true)
  }

  @Test func `Names that are doubled, and no instructions`() {
    let agent = plugin("A") { agent in
      agent.instructions = ""
      agent.tools = [tool("x"), tool("x")]
    }
    #expect(
      findings(agent) == [
        "A: error: Two of its tools have the same name.", "A: warning: It has no instructions.",
      ]
    )
  }
}

private struct Blank: Agent {
  let name = "blank"
  let description = "is changed by the tests"

  var body: some DynamicProfile {
    Profile { Instructions("You are blank.") }
  }
}
