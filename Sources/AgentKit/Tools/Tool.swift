public import PlatformLibraries

/// Something that a model can do besides generating text.
///
/// ```swift
/// struct FindDiagram: Tool {
///   @Generable
///   struct Arguments {
///     @Guide(description: "The figure to fold") var figure: String
///   }
///
///   let name = "find_diagram"
///   let description = "Finds the folding diagram of a figure."
///   let isIdempotent = true
///
///   func call(arguments: Arguments) async throws -> String {
///     guard arguments.figure == "crane" else {
///       throw ToolCallRejection("There is no diagram of a \(arguments.figure).")
///     }
///     return "Fold the square in half."
///   }
/// }
/// ```
public protocol Tool<Arguments, Output>: Sendable {
  /// The type of a call's result, as the model reads it.
  associatedtype Output: PromptRepresentable
  /// The type of a call's arguments.
  associatedtype Arguments: ConvertibleFromGeneratedContent

  /// The name by which the model calls the tool; by default, the name of the type.
  var name: String { get }
  /// What the tool does, in words for the model.
  var description: String { get }
  /// The schema of the arguments; by default, that of ``Tool/Arguments``.
  var parameters: GenerationSchema { get }
  /// Whether the schema of the arguments is part of the instructions; by default, it is.
  ///
  /// It has no effect here: the constraints that hold a call to its schema are made from what chat
  /// templates receive.
  var includesSchemaInInstructions: Bool { get }
  /// Whether a person must approve each call; by default, no approval is needed.
  ///
  /// FoundationModels has no such requirement, and does not interpret a tool's property of this
  /// name.
  var requiresApproval: Bool { get }
  /// Whether a second call with the same arguments has no further effect; `false` by default.
  ///
  /// If a process ends between a call and its output, it is unknown whether the tool has run. The
  /// turn then continues in another process. If this property is `true`, the tool is called again;
  /// otherwise, the model reads that the outcome is unknown. Return `true` for tools that only look
  /// something up, and for those that set something to a value, however often. FoundationModels has
  /// no such requirement, and does not interpret a tool's property of this name.
  var isIdempotent: Bool { get }

  /// Performs a call.
  ///
  /// Calls of one round run concurrently, including several calls of the same tool. Throwing an
  /// error ends the turn, and the session's caller sees a ``LanguageModelSession/ToolCallError``. A
  /// ``ToolCallRejection`` ends only the call.
  ///
  /// The tool owns the arguments from here on, so an actor can be a tool. A tool that passes them
  /// to another tool of any type must take them as `sending`, too, or require that they are
  /// `Sendable`.
  @concurrent func call(arguments: sending Arguments) async throws -> Output
}

extension Tool {
  /// The name of the type.
  public var name: String { String(describing: Self.self) }
  /// Always `true`, which is the default.
  public var includesSchemaInInstructions: Bool { true }
  /// Always `false`, which is the default.
  public var requiresApproval: Bool { false }
  /// Always `false`, which is the default.
  public var isIdempotent: Bool { false }
}

extension Tool where Arguments: Generable {
  /// The schema of the arguments.
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

// A tool takes an object of named arguments; a bare value has no name.

extension Tool where Arguments == String {
  /// Rejects a bare string: arguments must be a `@Generable` struct.
  @available(*, unavailable, message: "Use a '@Generable' struct for the arguments of a tool")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Int {
  /// Rejects a bare number: arguments must be a `@Generable` struct.
  @available(*, unavailable, message: "Use a '@Generable' struct for the arguments of a tool")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Double {
  /// Rejects a bare number: arguments must be a `@Generable` struct.
  @available(*, unavailable, message: "Use a '@Generable' struct for the arguments of a tool")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Float {
  /// Rejects a bare number: arguments must be a `@Generable` struct.
  @available(*, unavailable, message: "Use a '@Generable' struct for the arguments of a tool")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Decimal {
  /// Rejects a bare number: arguments must be a `@Generable` struct.
  @available(*, unavailable, message: "Use a '@Generable' struct for the arguments of a tool")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Bool {
  /// Rejects a bare Boolean value: arguments must be a `@Generable` struct.
  @available(*, unavailable, message: "Use a '@Generable' struct for the arguments of a tool")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Transcript.ToolDefinition {
  /// Creates the definition of a tool.
  public init(tool: some Tool) {
    self.init(name: tool.name, description: tool.description, parameters: tool.parameters)
  }
}

extension Tool {
  /// Reads the arguments and performs the call.
  nonisolated(nonsending) func call(
    content: GeneratedContent
  ) async throws -> [Transcript.Segment] {
    let arguments: Arguments
    do {
      arguments = try Arguments(content)
    } catch {
      throw UnreadableArguments(problem: String(reflecting: error))
    }
    // A tool that takes content as is checks it itself.
    if Arguments.self != GeneratedContent.self, let problem = parameters.violation(by: content) {
      throw UnreadableArguments(problem: problem)
    }
    return try await call(arguments: arguments).promptRepresentation.segments
  }
}

/// An error that says that the arguments of a call do not fit what the tool takes.
struct UnreadableArguments: Error {
  let problem: String
}

extension GeneratedContent {
  /// Reads a string argument of a tool whose schema is made at run time.
  func argument(_ name: String) throws(UnreadableArguments) -> String {
    do {
      return try value(String.self, forProperty: name)
    } catch {
      throw UnreadableArguments(problem: String(reflecting: error))
    }
  }
}
