/// Dynamic instructions of any type.
public struct AnyDynamicInstructions: DynamicInstructions, InstructionsLeaf {
  private let content: any DynamicInstructions

  /// Hides the type of dynamic instructions.
  public init(_ content: any DynamicInstructions) { self.content = content }

  /// Hides the type of dynamic instructions.
  public init(erasing content: some DynamicInstructions) { self.content = content }

  func resolve(into resolved: inout ResolvedInstructions) { resolved.append(content) }
}

/// Several dynamic instructions, one after the other.
public struct TupleDynamicInstructions<each Content: DynamicInstructions>: DynamicInstructions,
  InstructionsLeaf
{
  private let contents: (repeat each Content)

  /// Joins dynamic instructions.
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
  /// Which of the two.
  public enum Branch {
    /// The first.
    case trueContent(TrueContent)
    /// The second.
    case falseContent(FalseContent)
  }

  private let branch: Branch

  /// Takes a branch.
  public init(_ branch: Branch) { self.branch = branch }

  func resolve(into resolved: inout ResolvedInstructions) {
    switch branch {
    case .trueContent(let content): resolved.append(content)
    case .falseContent(let content): resolved.append(content)
    }
  }
}

/// Nothing.
public struct EmptyDynamicInstructions: DynamicInstructions, InstructionsLeaf, Sendable {
  /// Makes nothing.
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

  /// Makes instructions for each element, which a key path identifies.
  public init(
    _ data: Data,
    id: KeyPath<Data.Element, ID>,
    @DynamicInstructionsBuilder content: @escaping (Data.Element) -> Content
  ) {
    self.data = data
    self.content = content
  }

  /// Makes instructions for each element.
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

/// Tools, with nothing said about them beyond their definitions.
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

  /// Refuses a bare text.
  @available(*, unavailable, message: "Write 'Instructions(\"…\")' around a text")
  public static func buildExpression(_ text: String) -> EmptyDynamicInstructions {
    EmptyDynamicInstructions()
  }

  /// Refuses everything else.
  @available(
    *,
    unavailable,
    message: "A profile is made of instructions, tools and dynamic instructions"
  )
  @_disfavoredOverload
  public static func buildExpression<Value>(_ value: Value) -> EmptyDynamicInstructions {
    EmptyDynamicInstructions()
  }

  /// Makes an empty body.
  public static func buildBlock() -> EmptyDynamicInstructions { EmptyDynamicInstructions() }

  /// Takes the one statement of a body.
  public static func buildBlock<T: DynamicInstructions>(_ content: T) -> T { content }

  /// Joins the statements of a body.
  @_disfavoredOverload
  public static func buildBlock<each Content: DynamicInstructions>(
    _ contents: repeat each Content
  ) -> TupleDynamicInstructions<repeat each Content> {
    TupleDynamicInstructions(repeat each contents)
  }

  /// Takes the first branch.
  public static func buildEither<T: DynamicInstructions, F: DynamicInstructions>(
    first content: T
  ) -> ConditionalDynamicInstructions<T, F> {
    ConditionalDynamicInstructions(.trueContent(content))
  }

  /// Takes the second branch.
  public static func buildEither<T: DynamicInstructions, F: DynamicInstructions>(
    second content: F
  ) -> ConditionalDynamicInstructions<T, F> {
    ConditionalDynamicInstructions(.falseContent(content))
  }

  /// Takes a part that may be absent.
  public static func buildOptional<Content: DynamicInstructions>(_ content: Content?) -> Content? {
    content
  }

  /// Takes a part that needs a newer platform.
  public static func buildLimitedAvailability(
    _ content: some DynamicInstructions
  ) -> AnyDynamicInstructions {
    AnyDynamicInstructions(erasing: content)
  }
}
