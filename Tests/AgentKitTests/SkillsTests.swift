import AgentKit
import Foundation
import Observation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `A list of skills` {
  private let requests = Requests()
  private let log = Log()

  private func session(
    _ skills: sending Skills,
    _ steps: ScriptedLanguageModel.Step...
  ) -> LanguageModelSession {
    LanguageModelSession(
      model: requests.model(steps: steps + [.text("Done.")]),
      dynamicInstructions: skills
    )
  }

  private func activating(_ name: String, by tool: String = "activate_skill")
    -> ScriptedLanguageModel.Step
  {
    .call(tool, #"{"skill": "\#(name)"}"#)
  }

  private func knots(allowsDeactivation: Bool = false) -> Skill {
    let log = log
    return Skill(
      name: "knots",
      description: "How to tie",
      instructions: "Left over right.",
      allowsDeactivation: allowsDeactivation,
      onActivate: { log.add("on") },
      onDeactivate: { log.add("off") }
    )
  }

  /// Returns the part of the instructions after the introduction to the list.
  private func list(_ index: Int) -> String {
    let text = requests.instructions[index]
    return text.range(of: "\n\n").map { String(text[$0.upperBound...]) } ?? text
  }

  @Test func `shows each with its state, after an empty line`() async throws {
    let activations = SkillActivations()
    activations.activate("sails")
    let skills = Skills(activations: activations) {
      knots()
      Skill(name: "maps", description: "How to read one", prompt: "North is up.")
      Skill(name: "sails", description: "How to set one") {
        Instructions {
          "Into the wind."
          "Then away."
        }
        Plain(name: "hoist")
      }
    }
    try await session(skills).respond(to: "Go")
    #expect(
      list(0) == """
        Skill: knots [inactive]
        Description: How to tie

        Skill: maps [on demand]
        Description: How to read one

        Skill: sails [active]
        Into the wind.
        Then away.
        """
    )
    // An active skill brings its tools; the tool that activates skills comes last.
    #expect(requests.tools[0] == ["hoist", "activate_skill"])
  }

  @Test func `delivers a prompt once, and keeps the instructions as they are`() async throws {
    let (activations, log) = (SkillActivations(), log)
    let skills = Skills(activations: activations) {
      Skill(name: "maps", description: "Maps", onActivate: { log.add("on") }) {
        "North is up."
        "South is down."
      }
    }
    let session = session(skills, activating("maps"))
    try await session.respond(to: "Go")
    #expect(session.transcript.outline.contains("output: North is up.\nSouth is down."))
    #expect(requests.instructions[0] == requests.instructions[1])
    #expect(!activations.isActive("maps"))
    #expect(log.lines == ["on"])
  }

  @Test func `lets instructions join before the next request`() async throws {
    let activations = SkillActivations()
    let session = session(Skills(activations: activations, skills: [knots()]), activating("knots"))
    try await session.respond(to: "Go")
    #expect(session.transcript.outline.contains("output: Successfully activated skill: knots"))
    #expect(list(1) == "Skill: knots [active]\nLeft over right.")
    #expect(activations.activeSkillNames == ["knots"])
    #expect(log.lines == ["on"])
  }

  @Test func `lets the model put down what may be put down`() async throws {
    let skills = Skills(
      activations: SkillActivations(),
      skills: [knots(allowsDeactivation: true)]
    )
    let toggle = activating("knots", by: "toggle_skill")
    let session = session(skills, toggle, toggle)
    try await session.respond(to: "Go")
    #expect(requests.tools == [["toggle_skill"], ["toggle_skill"], ["toggle_skill"]])
    #expect(session.transcript.outline.contains("output: Successfully deactivated skill: knots"))
    #expect(log.lines == ["on", "off"])
  }

  @Test func `tells the model that a skill is active already, without a call`() async throws {
    let skills = Skills(activations: SkillActivations(), skills: [knots()])
    let session = session(skills, activating("knots"), activating("knots"))
    try await session.respond(to: "Go")
    #expect(session.transcript.outline.contains("output: Skill is active already: knots"))
    #expect(log.lines == ["on"])
  }

  @Test func `tells the model of a skill that there is not, and goes on`() async throws {
    let session = session(
      Skills(activations: SkillActivations(), skills: [knots()]),
      activating("boats")
    )
    #expect(try await session.respond(to: "Go").content == "Done.")
    #expect(session.transcript.outline[3].contains("there is no skill 'boats'"))
  }

  @Test func `takes words of the author's for the tool and for the list`() async throws {
    let skills = Skills(
      activations: SkillActivations(),
      toolName: "use",
      toolDescription: "Uses a skill.",
      instructions: Instructions("These are yours."),
      skills: [knots()]
    )
    try await session(skills).respond(to: "Go")
    #expect(
      requests.instructions[0]
        == "These are yours.\n\nSkill: knots [inactive]\nDescription: How to tie"
    )
    let tool = try #require(requests.all[0].enabledToolDefinitions.first)
    #expect(tool.name == "use")
    #expect(tool.description == "Uses a skill.")
  }

  @Test func `offers every name in one order, and by a strict schema those that would change`()
    async throws
  {
    let activations = SkillActivations()
    activations.activate("sails")
    func names(strict: Bool) async throws -> String {
      let requests = Requests()
      let skills = Skills(activations: activations, strictSchema: strict) {
        Skill(name: "sails", description: "Sails", instructions: "Into the wind.")
        knots()
      }
      try await LanguageModelSession(
        model: requests.model(.text("Done.")),
        dynamicInstructions: skills
      ).respond(to: "Go")
      return requests.all[0].enabledToolDefinitions[0].parameters.debugDescription
    }
    #expect(try await names(strict: false).contains(#""enum": ["knots", "sails"]"#))
    #expect(try await names(strict: true).contains(#""enum": ["knots"]"#))
  }

  @Test func `is nothing at all without skills, and has no tool without a choice`() async throws {
    let activations = SkillActivations()
    try await session(Skills(activations: activations, skills: [])).respond(to: "Go")
    #expect(requests.instructions == ["none"])
    #expect(requests.tools == [[]])

    activations.activate("knots")
    let other = Requests()
    try await LanguageModelSession(
      model: other.model(.text("Done.")),
      dynamicInstructions: Skills(activations: activations, strictSchema: true, skills: [knots()])
    ).respond(to: "Go")
    #expect(other.tools == [[]])
  }

  @Test func `counts the first of a name`() async throws {
    let skills = Skills(activations: SkillActivations()) {
      Skill(name: "maps", description: "First", prompt: "One.")
      Skill(name: "maps", description: "Second", prompt: "Two.")
    }
    try await session(skills).respond(to: "Go")
    #expect(list(0) == "Skill: maps [on demand]\nDescription: First")
  }

  @Test func `is built from choices, loops and what may be absent`() async throws {
    let (isLate, extra) = (true, Skill?.none)
    let skills = Skills(activations: SkillActivations()) {
      if isLate { Skill(name: "a", description: "A", prompt: "") }
      if isLate {
        Skill(name: "b", description: "B", prompt: "")
      } else {
        Skill(name: "c", description: "C", prompt: "")
      }
      for name in ["d", "e"] { Skill(name: name, description: name, prompt: "") }
      extra
    }
    try await session(skills).respond(to: "Go")
    let names = list(0).split(separator: "\n").filter { $0.hasPrefix("Skill: ") }
    #expect(names.map { $0.split(separator: " ")[1] } == ["a", "b", "d", "e"])
  }

  @Test func `tells observers of changes only`() {
    let (activations, log) = (SkillActivations(), log)
    func watch() {
      withObservationTracking {
        _ = activations.activeSkillNames
      } onChange: {
        log.add("changed")
      }
    }
    watch()
    activations.deactivate("knots")
    #expect(log.lines.isEmpty)
    activations.activate("knots")
    #expect(log.lines == ["changed"])
    watch()
    activations.activate("knots")
    #expect(log.lines == ["changed"])
  }
}
