/// The tool with which a model activates and deactivates skills.
struct SkillTool: Tool {
  /// The part of a skill that the tool needs, because a tool may run anywhere.
  private struct Choice: Sendable {
    let name: String
    let prompt: Prompt?
    let allowsDeactivation: Bool
    let onActivate: @Sendable () -> Void
    let onDeactivate: @Sendable () -> Void
  }

  let name: String
  let description: String
  private let eligible: [String]
  private let choices: [Choice]
  private let activations: SkillActivations

  init(
    name: String?,
    description: String?,
    eligible: [String],
    skills: [Skill],
    activations: SkillActivations
  ) {
    let canDeactivate = skills.contains(where: \.allowsDeactivation)
    self.name = name ?? (canDeactivate ? "toggle_skill" : "activate_skill")
    self.description = description ?? Self.words(for: skills, canDeactivate: canDeactivate)
    self.eligible = eligible
    self.activations = activations
    choices = skills.map { skill in
      let prompt: Prompt? = if case .prompt(let prompt) = skill.content { prompt } else { nil }
      return Choice(
        name: skill.name,
        prompt: prompt,
        allowsDeactivation: skill.allowsDeactivation,
        onActivate: skill.onActivate,
        onDeactivate: skill.onDeactivate
      )
    }
  }

  private static func words(for skills: [Skill], canDeactivate: Bool) -> String {
    let what =
      canDeactivate
      ? "Takes up a skill that fits what the user asks for, or puts down an active one that no longer does."
      : "Takes up a skill that fits what the user asks for."
    guard skills.contains(where: \.isOnDemand) else { return what }
    return what + " An on-demand skill is given once, in answer to the call."
  }

  var parameters: GenerationSchema {
    GenerationSchema(
      name: name,
      properties: [.init(name: "skill", type: String.self, guides: [.anyOf(eligible)])]
    )
  }

  @concurrent func call(arguments: sending GeneratedContent) async throws -> Prompt {
    let wanted = try arguments.argument("skill")
    guard let choice = choices.first(where: { $0.name == wanted }) else {
      throw UnreadableArguments(problem: "there is no skill '\(wanted)'.")
    }
    if let prompt = choice.prompt {
      defer { choice.onActivate() }
      return prompt
    }
    guard activations.isActive(wanted) else {
      defer { choice.onActivate() }
      activations.activate(wanted)
      return Prompt("Successfully activated skill: \(wanted)")
    }
    guard choice.allowsDeactivation else { return Prompt("Skill is active already: \(wanted)") }
    defer { choice.onDeactivate() }
    activations.deactivate(wanted)
    return Prompt("Successfully deactivated skill: \(wanted)")
  }
}
