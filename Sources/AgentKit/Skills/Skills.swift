/// A list of skills in the instructions, and the tool by which the model takes them up.
///
/// ```swift
/// Skills(activations: activations) {
///   Skill(name: "knots", description: "How to tie knots", prompt: knots)
///   Skill(name: "rescue", description: "What to do in an accident", instructions: rescue)
/// }
/// ```
///
/// Each skill is listed with what becomes of it: `[on demand]` for one that is delivered as a prompt,
/// `[inactive]` or `[active]` for one with instructions. A prompt is delivered without touching the
/// instructions; instructions change the beginning of the context, which is computed again. Of several
/// skills with one name the first counts. Without any skill there is neither a list nor a tool.
///
/// The declarations come from the FoundationModels utilities.
public struct Skills: DynamicInstructions {
  private let activations: SkillActivations
  private let toolName: String?
  private let toolDescription: String?
  private let instructions: Instructions?
  private let strictSchema: Bool
  private let skills: [Skill]

  /// Lists skills.
  /// - Parameters:
  ///   - activations: Which skills are active. It outlives the body that it is used in.
  ///   - toolName: The name of the tool; `activate_skill`, or `toggle_skill` where a skill can be put
  ///     down again, when `nil`.
  ///   - toolDescription: What the tool does, in words for the model.
  ///   - instructions: What stands before the list.
  ///   - strictSchema: Whether the tool takes only skills that it would change. The schema then changes
  ///     with each activation, and with it the beginning of the context.
  ///   - skills: The skills, in the order in which they are listed.
  public init(
    activations: SkillActivations,
    toolName: String? = nil,
    toolDescription: String? = nil,
    instructions: Instructions? = nil,
    strictSchema: Bool = false,
    @SkillsBuilder skills: () -> [Skill]
  ) {
    self.init(
      activations: activations,
      toolName: toolName,
      toolDescription: toolDescription,
      instructions: instructions,
      strictSchema: strictSchema,
      skills: skills()
    )
  }

  /// Lists skills.
  /// - Parameters:
  ///   - activations: Which skills are active. It outlives the body that it is used in.
  ///   - toolName: The name of the tool; `activate_skill`, or `toggle_skill` where a skill can be put
  ///     down again, when `nil`.
  ///   - toolDescription: What the tool does, in words for the model.
  ///   - instructions: What stands before the list.
  ///   - strictSchema: Whether the tool takes only skills that it would change. The schema then changes
  ///     with each activation, and with it the beginning of the context.
  ///   - skills: The skills, in the order in which they are listed.
  public init(
    activations: SkillActivations,
    toolName: String? = nil,
    toolDescription: String? = nil,
    instructions: Instructions? = nil,
    strictSchema: Bool = false,
    skills: [Skill]
  ) {
    self.activations = activations
    self.toolName = toolName
    self.toolDescription = toolDescription
    self.instructions = instructions
    self.strictSchema = strictSchema
    var names: Set<String> = []
    self.skills = skills.filter { names.insert($0.name).inserted }
  }

  /// The list and the tool.
  public var body: some DynamicInstructions {
    if !skills.isEmpty {
      instructions ?? Self.lead
      ForEach(skills, id: \.name) { SkillListing(skill: $0, isActive: isActive($0)) }
      if !eligible.isEmpty { tool }
    }
  }

  private static let lead = Instructions(
    """
    Below are skills that you have. If one of them fits what the user asks for, take it up with the tool \
    before you answer, without asking and without mentioning it. If none fits, just answer.
    """
  )

  private func isActive(_ skill: Skill) -> Bool { activations.isActive(skill.name) }

  private var eligible: [Skill] {
    guard strictSchema else { return skills }
    return skills.filter { $0.allowsDeactivation || !isActive($0) }
  }

  private var tool: SkillTool {
    SkillTool(
      name: toolName,
      description: toolDescription,
      eligible: eligible.map(\.name).sorted(),
      skills: skills,
      activations: activations
    )
  }
}

/// One skill in the list.
private struct SkillListing: DynamicInstructions {
  let skill: Skill
  let isActive: Bool

  var body: some DynamicInstructions {
    // The empty line before each skill is part of its own text.
    switch skill.content {
    case .prompt:
      Instructions("\nSkill: \(skill.name) [on demand]\nDescription: \(skill.description)")
    case .instructions(let instructions, _):
      if isActive {
        Instructions("\nSkill: \(skill.name) [active]")
        AnyDynamicInstructions(instructions)
      } else {
        Instructions("\nSkill: \(skill.name) [inactive]\nDescription: \(skill.description)")
      }
    }
  }
}

extension Skill {
  var allowsDeactivation: Bool {
    switch content {
    case .prompt: false
    case .instructions(_, let allowsDeactivation): allowsDeactivation
    }
  }

  var isOnDemand: Bool {
    switch content {
    case .prompt: true
    case .instructions: false
    }
  }
}
