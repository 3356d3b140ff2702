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

  @Test func `A required memory is an amount`() {
    #expect(findings(plugin("A") { $0.host = .any(memory: "8 GB") }).isEmpty)
    #expect(findings(plugin("A") { $0.host = .any() }, plugin("B") { $0.host = "gpu1" }).isEmpty)
    #expect(findings(plugin("A") { $0.host = .any(memory: "much") }).count == 1)
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

  @Test(arguments: [
    ("look up!", false), ("", false), ("größe", false), ("a.b", false), ("a\nb", false),
    (String(repeating: "a", count: 65), false), (String(repeating: "a", count: 64), true),
    ("Look-up_2", true), ("0", true), ("-", true),
  ])
  func `A tool's name that servers refuse`(name: String, isAccepted: Bool) {
    let served = plugin("A") { agent in
      agent.serverModel = "gpt"
      agent.tools = [tool("fine"), tool(name)]
    }
    let found = findings(served)
    #expect(found.isEmpty == isAccepted)
    #expect(
      found.allSatisfy { finding in
        finding.hasPrefix("A: error: Its tool \(name.debugDescription) has a name that servers")
          && finding.contains("at most 64 letters from a to z, digits, '_' and '-'")
      }
    )
    // A local model takes any name.
    #expect(findings(plugin("A") { $0.tools = [tool(name)] }).isEmpty)
  }

  @Test func `A tool's name that a server reads behind a baton`() {
    let served = plugin("Served") { agent in
      agent.serverModel = "gpt"
      agent.batons = ["door"]
    }
    let door = plugin("Door") { $0.batons = ["local"] }
    let local = plugin("Local") { $0.tools = [tool("look up")] }
    let friend = plugin("Friend") { $0.tools = [tool("look up")] }
    let found = findings(served, door, local, friend)
    #expect(found.count == 1)
    #expect(found[0].hasPrefix(#"Local: warning: Its tool "look up" has a name that servers"#))
    #expect(found[0].contains("The model of 'served'"))
    #expect(findings(door, local, friend).isEmpty)
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
