/// What an agent is told before any conversation: who it is and how it works.
///
/// ```swift
/// struct Librarian {
///   var isStrict: Bool
///
///   var instructions: Instructions {
///     Instructions {
///       "You are a librarian."
///       if isStrict { "Answer only from the catalogue." }
///     }
///   }
/// }
/// ```
public struct Instructions: Sendable {
  package var segments: [Transcript.Segment]

  package init(segments: [Transcript.Segment]) {
    self.segments = segments
  }

  /// Creates instructions from a value that can represent them.
  public init(_ content: some InstructionsRepresentable) {
    self = content.instructionsRepresentation
  }

  /// Creates instructions from several parts; each statement becomes a segment of its own.
  public init(@InstructionsBuilder _ content: () throws -> Instructions) rethrows {
    self = try content()
  }
}

/// A value that can be part of instructions.
public protocol InstructionsRepresentable {
  /// The value as instructions.
  @InstructionsBuilder var instructionsRepresentation: Instructions { get }
}

extension Instructions: InstructionsRepresentable {
  /// The instructions themselves.
  public var instructionsRepresentation: Instructions { self }
}

/// Builds instructions from statements.
@resultBuilder
public enum InstructionsBuilder {
  /// Uses a value that can be part of instructions.
  @_disfavoredOverload
  public static func buildExpression<Value: InstructionsRepresentable>(
    _ value: Value
  ) -> Instructions {
    value.instructionsRepresentation
  }

  /// Uses instructions unchanged.
  public static func buildExpression(_ instructions: Instructions) -> Instructions { instructions }

  /// Rejects a value that cannot be part of instructions.
  @available(
    *,
    unavailable,
    message: "Instructions are made of values that are 'InstructionsRepresentable'"
  )
  @_disfavoredOverload
  public static func buildExpression<Value>(_ value: Value) -> Instructions {
    Instructions(segments: [])
  }

  /// Joins the statements.
  public static func buildBlock(_ parts: Instructions...) -> Instructions { buildArray(parts) }

  /// Joins the iterations of a loop.
  public static func buildArray(_ parts: [Instructions]) -> Instructions {
    Instructions(segments: parts.flatMap(\.segments))
  }

  /// Uses the first branch.
  public static func buildEither(first part: Instructions) -> Instructions { part }

  /// Uses the second branch.
  public static func buildEither(second part: Instructions) -> Instructions { part }

  /// Uses a part that may be absent.
  public static func buildOptional(_ part: Instructions?) -> Instructions {
    part ?? Instructions(segments: [])
  }

  /// Uses a part that requires a newer platform.
  public static func buildLimitedAvailability(_ part: Instructions) -> Instructions { part }
}
