/// Type-erased dynamic instructions.
public struct AnyDynamicInstructions: DynamicInstructions, InstructionsLeaf {
  private let content: any DynamicInstructions

  /// Erases the type of dynamic instructions.
  public init(_ content: any DynamicInstructions) { self.content = content }

  /// Erases the type of dynamic instructions.
  public init(erasing content: some DynamicInstructions) { self.content = content }

  func resolve(into resolved: inout ResolvedInstructions) { resolved.append(content) }
}

/// Several dynamic instructions in sequence.
public struct TupleDynamicInstructions<each Content: DynamicInstructions>: DynamicInstructions,
  InstructionsLeaf
{
  private let contents: (repeat each Content)

  /// Joins several dynamic instructions.
  public init(_ contents: repeat each Content) { self.contents = (repeat each contents) }

  func resolve(into resolved: inout ResolvedInstructions) {
    repeat resolved.append(each contents)
  }
}

/// One of two dynamic instructions.
public struct ConditionalDynamicInstructions<
  TrueContent: DynamicInstructions,
  FalseContent: DynamicInstructions
>: DynamicInstructions, InstructionsLeaf {
  /// One of the two alternatives.
  public enum Branch {
    /// The first alternative.
    case trueContent(TrueContent)
    /// The second alternative.
    case falseContent(FalseContent)
  }

  private let branch: Branch

  /// Creates dynamic instructions from a branch.
  public init(_ branch: Branch) { self.branch = branch }

  func resolve(into resolved: inout ResolvedInstructions) {
    switch branch {
    case .trueContent(let content): resolved.append(content)
    case .falseContent(let content): resolved.append(content)
    }
  }
}

/// Dynamic instructions that contribute nothing.
public struct EmptyDynamicInstructions: DynamicInstructions, InstructionsLeaf, Sendable {
  /// Creates empty dynamic instructions.
  public init() {}

  func resolve(into resolved: inout ResolvedInstructions) {}
}

/// Dynamic instructions for each element of a collection.
public struct DynamicInstructionsForEach<
  Data: RandomAccessCollection,
  ID: Hashable,
  Content: DynamicInstructions
>: DynamicInstructions, InstructionsLeaf {
  private let data: Data
  private let content: (Data.Element) -> Content

  /// Creates instructions for each element, identified by a key path.
  public init(
    _ data: Data,
    id: KeyPath<Data.Element, ID>,
    @DynamicInstructionsBuilder content: @escaping (Data.Element) -> Content
  ) {
    self.data = data
    self.content = content
  }

  /// Creates instructions for each element.
  public init(
    _ data: Data,
    @DynamicInstructionsBuilder content: @escaping (Data.Element) -> Content
  ) where Data.Element: Identifiable, ID == Data.Element.ID {
    self.data = data
    self.content = content
  }

  func resolve(into resolved: inout ResolvedInstructions) {
    for element in data { resolved.append(content(element)) }
  }
}

/// Tools without instructions beyond their definitions.
struct ToolInstructions: DynamicInstructions, InstructionsLeaf {
  let tools: [any Tool]

  func resolve(into resolved: inout ResolvedInstructions) { resolved.tools += tools }
}

/// Builds dynamic instructions from instructions, tools and nested dynamic instructions.
@resultBuilder
public enum DynamicInstructionsBuilder {
  /// Adds a tool.
  public static func buildExpression<T: Tool>(_ tool: T) -> some DynamicInstructions {
    ToolInstructions(tools: [tool])
  }

  /// Adds instructions, or nested dynamic instructions.
  public static func buildExpression<T: DynamicInstructions>(_ content: T) -> T { content }

  /// Adds several tools.
  public static func buildExpression(_ tools: [any Tool]) -> some DynamicInstructions {
    ToolInstructions(tools: tools)
  }

  /// Rejects a bare string.
  @available(*, unavailable, message: "Write 'Instructions(\"…\")' around a text")
  public static func buildExpression(_ text: String) -> EmptyDynamicInstructions {
    EmptyDynamicInstructions()
  }

  /// Rejects anything else.
  @available(
    *,
    unavailable,
    message: "A profile is made of instructions, tools and dynamic instructions"
  )
  @_disfavoredOverload
  public static func buildExpression<Value>(_ value: Value) -> EmptyDynamicInstructions {
    EmptyDynamicInstructions()
  }

  /// Creates an empty body.
  public static func buildBlock() -> EmptyDynamicInstructions { EmptyDynamicInstructions() }

  /// Passes through the only statement of a body.
  public static func buildBlock<T: DynamicInstructions>(_ content: T) -> T { content }

  /// Joins the statements of a body.
  @_disfavoredOverload
  public static func buildBlock<each Content: DynamicInstructions>(
    _ contents: repeat each Content
  ) -> TupleDynamicInstructions<repeat each Content> {
    TupleDynamicInstructions(repeat each contents)
  }

  /// Uses the first branch.
  public static func buildEither<T: DynamicInstructions, F: DynamicInstructions>(
    first content: T
  ) -> ConditionalDynamicInstructions<T, F> {
    ConditionalDynamicInstructions(.trueContent(content))
  }

  /// Uses the second branch.
  public static func buildEither<T: DynamicInstructions, F: DynamicInstructions>(
    second content: F
  ) -> ConditionalDynamicInstructions<T, F> {
    ConditionalDynamicInstructions(.falseContent(content))
  }

  /// Uses a part that may be absent.
  public static func buildOptional<Content: DynamicInstructions>(_ content: Content?) -> Content? {
    content
  }

  /// Uses a part that requires a newer platform.
  public static func buildLimitedAvailability(
    _ content: some DynamicInstructions
  ) -> AnyDynamicInstructions {
    AnyDynamicInstructions(erasing: content)
  }
}
