/// What a person or a program says to a model: text, made of one or more segments.
public struct Prompt: Sendable {
  package var segments: [Transcript.Segment]

  package init(segments: [Transcript.Segment]) {
    self.segments = segments
  }

  /// Creates a prompt from a value that can represent one.
  public init(_ content: some PromptRepresentable) {
    self = content.promptRepresentation
  }

  /// Creates a prompt from several parts; each statement becomes a segment of its own.
  public init(@PromptBuilder _ content: () throws -> Prompt) rethrows {
    self = try content()
  }
}

/// A value that can be part of a prompt.
public protocol PromptRepresentable {
  /// The value as a prompt.
  @PromptBuilder var promptRepresentation: Prompt { get }
}

extension Prompt: PromptRepresentable {
  /// The prompt itself.
  public var promptRepresentation: Prompt { self }
}

extension String: PromptRepresentable, InstructionsRepresentable {
  /// The text as one segment.
  public var promptRepresentation: Prompt {
    Prompt(segments: [.text(Transcript.TextSegment(content: self))])
  }

  /// The text as one segment.
  public var instructionsRepresentation: Instructions {
    Instructions(segments: [.text(Transcript.TextSegment(content: self))])
  }
}

extension Array: PromptRepresentable where Element: PromptRepresentable {
  /// The segments of all elements, in order.
  public var promptRepresentation: Prompt {
    Prompt(segments: flatMap(\.promptRepresentation.segments))
  }
}

extension Array: InstructionsRepresentable where Element: InstructionsRepresentable {
  /// The segments of all elements, in order.
  public var instructionsRepresentation: Instructions {
    Instructions(segments: flatMap(\.instructionsRepresentation.segments))
  }
}

/// Builds a prompt from statements.
@resultBuilder
public enum PromptBuilder {
  /// Uses a value that can be part of a prompt.
  @_disfavoredOverload
  public static func buildExpression<Value: PromptRepresentable>(_ value: Value) -> Prompt {
    value.promptRepresentation
  }

  /// Uses a prompt unchanged.
  public static func buildExpression(_ prompt: Prompt) -> Prompt { prompt }

  /// Rejects a value that cannot be part of a prompt.
  @available(*, unavailable, message: "A prompt is made of values that are 'PromptRepresentable'")
  @_disfavoredOverload
  public static func buildExpression<Value>(_ value: Value) -> Prompt { Prompt(segments: []) }

  /// Joins the statements.
  public static func buildBlock(_ prompts: Prompt...) -> Prompt { buildArray(prompts) }

  /// Joins the iterations of a loop.
  public static func buildArray(_ prompts: [Prompt]) -> Prompt {
    Prompt(segments: prompts.flatMap(\.segments))
  }

  /// Uses the first branch.
  public static func buildEither(first prompt: Prompt) -> Prompt { prompt }

  /// Uses the second branch.
  public static func buildEither(second prompt: Prompt) -> Prompt { prompt }

  /// Uses a part that may be absent.
  public static func buildOptional(_ prompt: Prompt?) -> Prompt { prompt ?? Prompt(segments: []) }

  /// Uses a part that requires a newer platform.
  public static func buildLimitedAvailability(_ prompt: Prompt) -> Prompt { prompt }
}
