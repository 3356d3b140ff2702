#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Transcript {
  /// What an agent was told before a conversation.
  public struct Instructions: Sendable, Equatable, Identifiable {
    /// The identity of the entry.
    public var id: String
    /// What it was told.
    public var segments: [Segment]
    /// The tools that it had.
    public var toolDefinitions: [ToolDefinition]

    /// Makes an entry.
    public init(
      id: String = UUID().uuidString,
      segments: [Segment],
      toolDefinitions: [ToolDefinition]
    ) {
      self.id = id
      self.segments = segments
      self.toolDefinitions = toolDefinitions
    }
  }

  /// A tool as a model sees it.
  public struct ToolDefinition: Sendable, Equatable {
    /// The name by which the model calls it.
    public var name: String
    /// What it does, in words for the model.
    public var description: String
    /// What its arguments are.
    public var parameters: GenerationSchema

    /// Makes a definition.
    public init(name: String, description: String, parameters: GenerationSchema) {
      self.name = name
      self.description = description
      self.parameters = parameters
    }

    /// Takes the definition of a tool.
    public init(tool: some Tool) {
      self.init(name: tool.name, description: tool.description, parameters: tool.parameters)
    }
  }

  /// What a person or a program said.
  public struct Prompt: Sendable, Equatable, Identifiable {
    /// The identity of the entry.
    public var id: String
    /// What was said.
    public var segments: [Segment]
    /// The options that were given with it.
    public var options: GenerationOptions
    /// The context options that were given with it.
    public var contextOptions: ContextOptions

    /// Makes an entry.
    public init(
      id: String = UUID().uuidString,
      segments: [Segment],
      options: GenerationOptions = GenerationOptions(),
      contextOptions: ContextOptions = ContextOptions()
    ) {
      self.id = id
      self.segments = segments
      self.options = options
      self.contextOptions = contextOptions
    }
  }

  /// The calls that a model made in one round.
  public struct ToolCalls: Sendable, Equatable, Identifiable, RandomAccessCollection {
    /// The identity of the entry.
    public var id: String
    private var calls: [ToolCall]

    /// Makes an entry of calls.
    public init(id: String = UUID().uuidString, _ calls: some Sequence<ToolCall>) {
      self.id = id
      self.calls = Array(calls)
    }

    /// Where the calls begin.
    public var startIndex: Int { calls.startIndex }
    /// Where the calls end.
    public var endIndex: Int { calls.endIndex }
    /// One call.
    public subscript(position: Int) -> ToolCall { calls[position] }
  }

  /// One call of a tool.
  public struct ToolCall: Sendable, Equatable, Identifiable {
    /// The identity of the call; its output has the same.
    public var id: String
    /// The tool that was called.
    public var toolName: String
    /// What it was called with.
    public var arguments: GeneratedContent

    /// Makes a call.
    public init(id: String, toolName: String, arguments: GeneratedContent) {
      self.id = id
      self.toolName = toolName
      self.arguments = arguments
    }
  }

  /// What one call returned.
  public struct ToolOutput: Sendable, Equatable, Identifiable {
    /// The identity of the call that it answers.
    public var id: String
    /// The tool that was called.
    public var toolName: String
    /// What it returned.
    public var segments: [Segment]

    /// Makes an entry.
    public init(id: String, toolName: String, segments: [Segment]) {
      self.id = id
      self.toolName = toolName
      self.segments = segments
    }
  }

  /// What a model answered.
  public struct Response: Sendable, Equatable, Identifiable {
    /// The identity of the entry.
    public var id: String
    /// What it answered.
    public var segments: [Segment]

    /// Makes an entry.
    public init(id: String = UUID().uuidString, segments: [Segment]) {
      self.id = id
      self.segments = segments
    }
  }

  /// What a model thought before it answered or called.
  public struct Reasoning: Sendable, Equatable, Identifiable {
    /// The identity of the entry.
    public var id: String
    /// What it thought.
    public var segments: [Segment]

    /// Makes an entry.
    public init(id: String = UUID().uuidString, segments: [Segment]) {
      self.id = id
      self.segments = segments
    }
  }
}
