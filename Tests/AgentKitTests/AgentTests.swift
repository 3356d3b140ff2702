import AgentKit
import Foundation
import Testing

@Suite struct `The description of an agent` {
  @Test func `says what it is, and whom it can reach`() throws {
    let description = AgentDescription(Facilitator())
    #expect(description.name == "facilitator")
    #expect(description.description == "Brainstorms.")
    #expect(description.instructions == "You brainstorm.\nBe kind.")
    #expect(description.tools.map(\.name) == ["pass_baton", "write_title", "plain"])
    #expect(description.batons == ["tutorial", "coach"])
    #expect(description.friends == ["title"])
    #expect(description.mode == .required)
    #expect(description.hasExit)
    let data = try JSONEncoder().encode(description)
    #expect(try JSONDecoder().decode(AgentDescription.self, from: data) == description)
  }

  @Test func `has an exit where something can end a loop of required calls`() {
    func hasExit(_ profile: some LanguageModelSession.DynamicProfile) -> Bool {
      AgentDescription(Wrapped(profile: LanguageModelSession.AnyDynamicProfile(profile))).hasExit
    }
    typealias Profile = LanguageModelSession.Profile
    #expect(!hasExit(Profile { Plain() }.onPrompt {}.onResponse {}))
    #expect(!hasExit(Profile { PhoneAFriend("x", name: "ask", description: "Asks.") }))
    #expect(hasExit(Profile { PassBaton(to: "x") }))
    #expect(hasExit(Profile { Ending() }))
    #expect(hasExit(Profile { Plain() }.onToolCall {}))
    #expect(hasExit(Profile { Plain() }.onToolOutput {}))
  }

  @Test func `has the mode that the profile leaves open as allowed`() {
    let profile = LanguageModelSession.AnyDynamicProfile(LanguageModelSession.Profile {})
    let description = AgentDescription(Wrapped(profile: profile))
    #expect(description.mode == .allowed)
    #expect(description.tools.isEmpty)
  }

  @Test func `says how long the model is to reason`() {
    let profile = LanguageModelSession.Profile {}.reasoningLevel(.light)
    let wrapped = Wrapped(profile: LanguageModelSession.AnyDynamicProfile(profile))
    #expect(AgentDescription(wrapped).reasoningLevel == .light)
  }

  /// Returns the host of an agent of a profile, as the coordinator gets it from the process that
  /// describes the agent.
  private func host(
    _ profile: some LanguageModelSession.DynamicProfile
  ) throws -> HostRequirement? {
    let agent = Wrapped(profile: LanguageModelSession.AnyDynamicProfile(profile))
    let data = try JSONEncoder().encode(AgentDescription(agent))
    let description = try JSONDecoder().decode(AgentDescription.self, from: data)
    return description.host
  }

  @Test func `says where it is to run, by the innermost profile`() throws {
    typealias Profile = LanguageModelSession.Profile
    #expect(try host(Profile {}) == nil)
    #expect(try host(Profile {}.host("gpu1").host("gpu2")) == .named("gpu1"))
    #expect(try host(Profile {}.host(nil).host("gpu2")) == .named("gpu2"))
    #expect(try host(Profile {}.host(.any())) == .any())
    #expect(try host(Profile {}.host(.any(memory: "8 GB"))) == .any(memory: "8 GB"))
    #expect(try host(Profile {}.host(.local)) == .named("local"))
  }

  @Test(arguments: [
    ("8 GB", 8_000_000_000), ("512MiB", 536_870_912), ("1.5 g", 1_500_000_000), ("42", 42),
    ("0 B", 0), ("eight", nil), ("8 XB", nil), ("-1 GB", nil), ("", nil), ("9e99 GB", nil),
    ("99999999999999 TB", nil),
  ])
  func `requires memory in the units that people write`(text: String, bytes: Int?) {
    #expect(MemorySize(text).bytes == bytes)
  }

  @Test func `is taken before anything was said`() {
    #expect(AgentDescription(Remembering()).instructions == "planner holds it.")
  }

  private struct Facilitator: Agent {
    let name = "facilitator"
    let description = "Brainstorms."

    var body: some DynamicProfile {
      Profile {
        Instructions("You brainstorm.")
        PassBaton(to: "tutorial", "coach")
        PhoneAFriend("title", name: "write_title", description: "Writes a title.")
        Plain()
        Instructions("Be kind.")
      }
      .toolCallingMode(.required)
    }
  }

  private struct Wrapped: Agent {
    let name = "wrapped"
    let description = ""
    let profile: LanguageModelSession.AnyDynamicProfile

    init() { profile = .init(erasing: Profile {}) }
    init(profile: LanguageModelSession.AnyDynamicProfile) { self.profile = profile }

    var body: some DynamicProfile { profile }
  }

  private struct Remembering: Agent {
    @SessionProperty(\.holder) var holder
    let name = "remembering"
    let description = ""

    var body: some DynamicProfile { Profile { Instructions("\(holder) holds it.") } }
  }
}

/// A tool that never returns.
private struct Ending: Tool {
  @Generable
  struct Arguments {
    var answer: String
  }

  let description = "Ends."

  func call(arguments: Arguments) throws -> Never { throw FinalAnswer(arguments.answer) }
}
