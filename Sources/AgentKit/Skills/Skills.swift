/// A list of skills in the instructions, and the tool with which the model activates them.
///
/// ```swift
/// Skills(activations: activations) {
///   Skill(name: "knots", description: "How to tie knots", prompt: knots)
///   Skill(name: "rescue", description: "What to do in an accident", instructions: rescue)
/// }
/// ```
///
/// Each skill is listed with its state: `[on demand]` for one that is delivered as a prompt,
/// `[inactive]` or `[active]` for one with instructions. A prompt is delivered without changing the
/// instructions. Activating instructions changes the beginning of the context, which is computed
/// again. If several skills have the same name, the first one counts. Without any skill, there is
/// neither a list nor a tool.
///
/// The declarations come from the FoundationModels utilities.
public struct Skills: DynamicInstructions {
  private let activations: SkillActivations
  private let toolName: String?
  private let toolDescription: String?
  private let instructions: Instructions?
  private let strictSchema: Bool
  private let skills: [Skill]

  /// Creates a list of skills.
  ///
  /// - Parameters:
  ///   - activations: The set of active skills, which must outlive the body in which it is used.
  ///   - toolName: The name of the tool. If `nil`, it is `toggle_skill` if a skill can be
  ///     deactivated, and `activate_skill` otherwise.
  ///   - toolDescription: What the tool does, in words for the model.
  ///   - instructions: The text before the list.
  ///   - strictSchema: Whether the tool accepts only skills whose state it would change. The
  ///     schema, and with it the beginning of the context, then changes with each activation.
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

  /// Creates a list of skills that is not built from statements; see the other form.
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
