/// Knowledge that a model activates when it needs it.
///
/// There are two kinds. A skill with a prompt is delivered once, as the output of the tool that
/// activates it, so the beginning of the context does not change. A skill with instructions becomes
/// part of the instructions while it is active, along with its own tools if it has any. The
/// declarations come from the FoundationModels utilities.
public struct Skill {
  enum Content {
    case prompt(Prompt)
    case instructions(any DynamicInstructions, allowsDeactivation: Bool)
  }

  let name: String
  let description: String
  let content: Content
  let onActivate: @Sendable () -> Void
  let onDeactivate: @Sendable () -> Void

  private init(
    name: String,
    description: String,
    content: Content,
    onActivate: @escaping @Sendable () -> Void,
    onDeactivate: @escaping @Sendable () -> Void = {}
  ) {
    self.name = name
    self.description = description
    self.content = content
    self.onActivate = onActivate
    self.onDeactivate = onDeactivate
  }

  /// Creates a skill that is delivered as text.
  ///
  /// - Parameters:
  ///   - name: The name by which the model activates the skill, unique among the skills.
  ///   - description: When the skill is useful, in words for the model.
  ///   - prompt: The knowledge.
  ///   - onActivate: Called when the model has activated the skill.
  public init(
    name: String,
    description: String,
    prompt: String,
    onActivate: @Sendable @escaping () -> Void = {}
  ) {
    self.init(
      name: name,
      description: description,
      content: .prompt(Prompt(prompt)),
      onActivate: onActivate
    )
  }

  /// Creates a skill that is delivered as a prompt.
  ///
  /// - Parameters:
  ///   - name: The name by which the model activates the skill, unique among the skills.
  ///   - description: When the skill is useful, in words for the model.
  ///   - onActivate: Called when the model has activated the skill.
  ///   - prompt: The knowledge.
  public init(
    name: String,
    description: String,
    onActivate: @Sendable @escaping () -> Void = {},
    @PromptBuilder prompt: () -> Prompt
  ) {
    self.init(
      name: name,
      description: description,
      content: .prompt(prompt()),
      onActivate: onActivate
    )
  }

  /// Creates a skill that joins the instructions.
  ///
  /// - Parameters:
  ///   - name: The name by which the model activates the skill, unique among the skills.
  ///   - description: When the skill is useful, in words for the model; shown while it is inactive.
  ///   - instructions: The knowledge.
  ///   - allowsDeactivation: Whether the model may deactivate the skill again.
  ///   - onActivate: Called when the model has activated the skill.
  ///   - onDeactivate: Called when the model has deactivated the skill.
  public init(
    name: String,
    description: String,
    instructions: some InstructionsRepresentable,
    allowsDeactivation: Bool = false,
    onActivate: @Sendable @escaping () -> Void = {},
    onDeactivate: @Sendable @escaping () -> Void = {}
  ) {
    self.init(
      name: name,
      description: description,
      content: .instructions(
        Instructions(instructions),
        allowsDeactivation: allowsDeactivation
      ),
      onActivate: onActivate,
      onDeactivate: onDeactivate
    )
  }

  /// Creates a skill that joins the instructions and may bring tools.
  ///
  /// - Parameters:
  ///   - name: The name by which the model activates the skill, unique among the skills.
  ///   - description: When the skill is useful, in words for the model; shown while it is inactive.
  ///   - allowsDeactivation: Whether the model may deactivate the skill again.
  ///   - onActivate: Called when the model has activated the skill.
  ///   - onDeactivate: Called when the model has deactivated the skill.
  ///   - instructions: The knowledge and the tools.
  public init(
    name: String,
    description: String,
    allowsDeactivation: Bool = false,
    onActivate: @Sendable @escaping () -> Void = {},
    onDeactivate: @Sendable @escaping () -> Void = {},
    @DynamicInstructionsBuilder instructions: () -> some DynamicInstructions
  ) {
    self.init(
      name: name,
      description: description,
      content: .instructions(instructions(), allowsDeactivation: allowsDeactivation),
      onActivate: onActivate,
      onDeactivate: onDeactivate
    )
  }
}

/// Builds a list of skills.
@resultBuilder
public enum SkillsBuilder {
  /// Uses a skill.
  public static func buildExpression(_ skill: Skill) -> [Skill] { [skill] }

  /// Uses a skill that may be absent.
  public static func buildExpression(_ skill: Skill?) -> [Skill] { skill.map { [$0] } ?? [] }

  /// Joins the statements.
  public static func buildBlock(_ parts: [Skill]...) -> [Skill] { parts.flatMap(\.self) }

  /// Joins the iterations of a loop.
  public static func buildArray(_ parts: [[Skill]]) -> [Skill] { parts.flatMap(\.self) }

  /// Uses the first branch.
  public static func buildEither(first part: [Skill]) -> [Skill] { part }

  /// Uses the second branch.
  public static func buildEither(second part: [Skill]) -> [Skill] { part }

  /// Uses skills that may be absent.
  ///
  /// The documentation of the FoundationModels utilities shows an `if` without `else`, but they do
  /// not compile it.
  public static func buildOptional(_ part: [Skill]?) -> [Skill] { part ?? [] }
}
