#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Something that a model can do beside talking.
public protocol Tool<Arguments, Output>: Sendable {
  /// What a call returns, as the model reads it.
  associatedtype Output: PromptRepresentable
  /// What a call takes.
  associatedtype Arguments: ConvertibleFromGeneratedContent

  /// The name by which the model calls it; the name of the type by default.
  var name: String { get }
  /// What it does, in words for the model.
  var description: String { get }
  /// The schema of the arguments; that of `Arguments` by default.
  var parameters: GenerationSchema { get }
  /// Whether the schema of the arguments is part of the instructions; it is by default.
  ///
  /// Without effect here: what holds a call to its schema is made from what chat templates are given.
  var includesSchemaInInstructions: Bool { get }
  /// Whether a person is asked before each call; nobody is by default.
  ///
  /// FoundationModels has no such requirement, and leaves a tool's property of this name alone.
  var requiresApproval: Bool { get }
  /// Whether a second call with the same arguments does nothing that the first has not done; by
  /// default it may.
  ///
  /// When a process ends between a call and its output, nobody knows whether the tool has run. The
  /// turn then goes on in another process: a tool that says true is called again, and of any other
  /// the model reads that the outcome is unknown. Say true for tools that only look something up,
  /// and for those that set something to a value, however often. FoundationModels has no such
  /// requirement, and leaves a tool's property of this name alone.
  var isIdempotent: Bool { get }

  /// Does it.
  ///
  /// Calls of one round run at the same time, also several of the same tool. Throwing ends the
  /// turn: the session's caller sees a `LanguageModelSession.ToolCallError`. A `ToolCallRejection`
  /// ends the call only.
  ///
  /// The arguments are the tool's own from here on, so that an actor can be a tool. A tool that hands
  /// them on to another tool of any type says that they are `Sendable`.
  @concurrent func call(arguments: sending Arguments) async throws -> Output
}

extension Tool {
  /// The name of the type.
  public var name: String { String(describing: Self.self) }
  /// The schema is part of the instructions.
  public var includesSchemaInInstructions: Bool { true }
  /// Nobody is asked.
  public var requiresApproval: Bool { false }
  /// A second call may do something.
  public var isIdempotent: Bool { false }
}

extension Tool where Arguments: Generable {
  /// The schema of the arguments.
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

// A tool takes an object of named arguments; a bare value has no name to be called by.

extension Tool where Arguments == String {
  /// Refuses a bare text: arguments are a `@Generable` struct.
  @available(*, unavailable, message: "Use a '@Generable' struct for the arguments of a tool")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Int {
  /// Refuses a bare number: arguments are a `@Generable` struct.
  @available(*, unavailable, message: "Use a '@Generable' struct for the arguments of a tool")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Double {
  /// Refuses a bare number: arguments are a `@Generable` struct.
  @available(*, unavailable, message: "Use a '@Generable' struct for the arguments of a tool")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Float {
  /// Refuses a bare number: arguments are a `@Generable` struct.
  @available(*, unavailable, message: "Use a '@Generable' struct for the arguments of a tool")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Decimal {
  /// Refuses a bare number: arguments are a `@Generable` struct.
  @available(*, unavailable, message: "Use a '@Generable' struct for the arguments of a tool")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Bool {
  /// Refuses a bare truth value: arguments are a `@Generable` struct.
  @available(*, unavailable, message: "Use a '@Generable' struct for the arguments of a tool")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool {
  /// Reads the arguments and does it.
  nonisolated(nonsending) func call(
    content: GeneratedContent
  ) async throws -> [Transcript.Segment] {
    let arguments: Arguments
    do {
      arguments = try Arguments(content)
    } catch {
      throw UnreadableArguments(problem: String(reflecting: error))
    }
    // A tool that takes content as it is looks at it itself.
    if Arguments.self != GeneratedContent.self, let problem = parameters.violation(by: content) {
      throw UnreadableArguments(problem: problem)
    }
    return try await call(arguments: arguments).promptRepresentation.segments
  }
}

/// Arguments of a call that cannot be read as what the tool takes.
struct UnreadableArguments: Error {
  let problem: String
}

extension GeneratedContent {
  /// Reads a text among the arguments of a tool whose schema is made at run time.
  func argument(_ name: String) throws(UnreadableArguments) -> String {
    do {
      return try value(String.self, forProperty: name)
    } catch {
      throw UnreadableArguments(problem: String(reflecting: error))
    }
  }
}
