/// Knowledge that a model takes up when it needs it, and not before.
///
/// There are two kinds. A skill with a prompt is delivered once, as the output of the tool that
/// activates it: the beginning of the context stays as it is. A skill with instructions becomes part of
/// the instructions while it is active, with tools of its own where it has any. The declarations come
/// from the FoundationModels utilities.
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

  /// Makes a skill that is delivered as a text.
  /// - Parameters:
  ///   - name: The name by which the model asks for it, unique among the skills.
  ///   - description: When it is of use, in words for the model.
  ///   - prompt: The knowledge.
  ///   - onActivate: Called when the model has asked for it.
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

  /// Makes a skill that is delivered as a prompt.
  /// - Parameters:
  ///   - name: The name by which the model asks for it, unique among the skills.
  ///   - description: When it is of use, in words for the model.
  ///   - onActivate: Called when the model has asked for it.
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

  /// Makes a skill that joins the instructions.
  /// - Parameters:
  ///   - name: The name by which the model asks for it, unique among the skills.
  ///   - description: When it is of use, in words for the model; shown while it is not active.
  ///   - instructions: The knowledge.
  ///   - allowsDeactivation: Whether the model may put it down again.
  ///   - onActivate: Called when the model has taken it up.
  ///   - onDeactivate: Called when the model has put it down.
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

  /// Makes a skill that joins the instructions, and may bring tools.
  /// - Parameters:
  ///   - name: The name by which the model asks for it, unique among the skills.
  ///   - description: When it is of use, in words for the model; shown while it is not active.
  ///   - allowsDeactivation: Whether the model may put it down again.
  ///   - onActivate: Called when the model has taken it up.
  ///   - onDeactivate: Called when the model has put it down.
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
  /// Takes a skill.
  public static func buildExpression(_ skill: Skill) -> [Skill] { [skill] }

  /// Takes a skill that may be absent.
  public static func buildExpression(_ skill: Skill?) -> [Skill] { skill.map { [$0] } ?? [] }

  /// Joins the statements.
  public static func buildBlock(_ parts: [Skill]...) -> [Skill] { parts.flatMap(\.self) }

  /// Joins the passes of a loop.
  public static func buildArray(_ parts: [[Skill]]) -> [Skill] { parts.flatMap(\.self) }

  /// Takes the first branch.
  public static func buildEither(first part: [Skill]) -> [Skill] { part }

  /// Takes the second branch.
  public static func buildEither(second part: [Skill]) -> [Skill] { part }

  /// Takes skills that may be absent.
  ///
  /// The utilities of FoundationModels show an `if` without `else` in their documents, and do not
  /// compile it.
  public static func buildOptional(_ part: [Skill]?) -> [Skill] { part ?? [] }
}
