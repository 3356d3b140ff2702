import AgentKit
import Testing

/// The WWDC26 page's snippets about several agents and about skills.
@Suite(.timeLimit(.minutes(5)))
struct `Snippets of orchestration` {
  @Test func `10 the baton passes inside one answer, and the receiver gives it`() async throws {
    let (far, near) = (Requests(), Requests())
    let desk = GardenDesk(
      far: far.model(.call("hand_the_trowel")),
      near: near.model(.text("Dig a hole."))
    )
    let session = LanguageModelSession(profile: TrowelProfile(desk: desk))
    let response = try await session.respond(to: "How do I plant a tree?")
    #expect(response.content == "Dig a hole.")
    #expect(desk.phase == .tending)
    #expect(far.instructions == ["You dream."])
    #expect(
      near.all.map(\.outline) == [
        [
          "instructions: You dig.", "prompt: How do I plant a tree?", "calls: hand_the_trowel{}",
          "output: The other gardener answers from here.",
        ]
      ]
    )
  }

  @Test func `11 a friend is phoned in a session of its own, and the asker answers`() async throws {
    let (asker, friend) = (Requests(), Requests())
    let friendModel = friend.model(.text("Marigold Lane"))
    let model = asker.model(
      .call("find_a_name", #"{"plants": "marigolds"}"#),
      .text("Call it Marigold Lane.")
    )
    let profile = LanguageModelSession.Profile {
      Instructions("You dream.")
      PhoneGardener(
        name: "find_a_name",
        description: "Asks a friend for a name.",
        profile: { NamingProfile(model: friendModel) }
      )
    }
    .model(model)
    let session = LanguageModelSession(profile: profile)
    let response = try await session.respond(to: "A name for my bed?")
    #expect(response.content == "Call it Marigold Lane.")
    #expect(
      friend.all.map(\.outline) == [
        ["instructions: You name things.", #"prompt: {"plants": "marigolds"}"#]
      ]
    )
    #expect(
      session.transcript.outline == [
        "instructions: You dream.", "prompt: A name for my bed?",
        #"calls: find_a_name{"plants": "marigolds"}"#, "output: Marigold Lane",
        "response: Call it Marigold Lane.",
      ]
    )
  }

  @Test func `12 skills are loaded when the model asks for them`() async throws {
    let requests = Requests()
    let session = LanguageModelSession(
      model: requests.model(
        .call("activate_skill", #"{"skill": "grafts"}"#),
        .text("Cut both at a slant.")
      ),
      dynamicInstructions: GardenSkills(activations: SkillActivations())
    )
    try await session.respond(to: "How do I graft?")
    let lines = requests.instructions[0].split(separator: "\n")
    #expect(lines.contains("Skill: grafts [on demand]"))
    #expect(lines.contains("Description: How to join two branches"))
    #expect(requests.tools[0] == ["activate_skill"])
    #expect(
      requests.all[1].outline.last
        == "output: Whip graft: both cut at a slant.\nCleft graft: one split, one pointed."
    )
  }
}

private struct TrowelProfile: LanguageModelSession.DynamicProfile {
  var desk: GardenDesk

  var body: some DynamicProfile {
    switch desk.phase {
    case .dreaming, .planning:
      Profile {
        Instructions("You dream.")
        HandTheTrowel()
      }
      .onToolCall { desk.phase = .tending }
      .model(desk.farModel)
    case .tending:
      Profile {
        Instructions("You dig.")
        HandTheTrowel()
      }
      .onToolCall { desk.phase = .dreaming }
      .model(desk.nearModel)
    }
  }
}

private struct NamingProfile: LanguageModelSession.DynamicProfile {
  var model: ScriptedLanguageModel

  var body: some DynamicProfile {
    Profile { Instructions("You name things.") }.model(model)
  }
}

@Generable
private struct NamingQuestion {
  var plants: String
}

private struct PhoneGardener<P: LanguageModelSession.DynamicProfile>: Tool {
  let name: String
  let description: String
  let profile: @Sendable () -> sending P

  var parameters: GenerationSchema { NamingQuestion.generationSchema }

  func call(arguments: GeneratedContent) async throws -> String {
    let session = LanguageModelSession(profile: profile())
    let response = try await session.respond(to: arguments)
    return response.content
  }
}

private struct GardenSkills: LanguageModelSession.DynamicInstructions {
  var activations: SkillActivations

  var body: some DynamicInstructions {
    Skills(activations: activations) {
      Skill(
        name: "grafts",
        description: "How to join two branches",
        prompt: """
          Whip graft: both cut at a slant.
          Cleft graft: one split, one pointed.
          """
      )
      Skill(name: "hedges", description: "How to trim hedges", prompt: "Narrow at the top.")
    }
  }
}
