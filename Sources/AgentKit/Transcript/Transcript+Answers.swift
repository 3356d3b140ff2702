#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Transcript {
  /// The calls that a model made in one round.
  public struct ToolCalls: Sendable, Equatable, Identifiable, RandomAccessCollection {
    /// The identity of the entry.
    public var id: String
    private var calls: [ToolCall]

    /// Makes an entry of calls.
    public init(id: String = newIdentity(), _ calls: some Sequence<ToolCall>) {
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
    /// What else the model said of the call.
    public var metadata: [String: GeneratedContent]

    /// Makes a call.
    public init(id: String, toolName: String, arguments: GeneratedContent) {
      self.init(id: id, metadata: [:], toolName: toolName, arguments: arguments)
    }

    /// Makes a call.
    public init(
      id: String,
      metadata: [String: any ConvertibleToGeneratedContent],
      toolName: String,
      arguments: GeneratedContent
    ) {
      self.id = id
      self.metadata = metadata.mapValues(\.generatedContent)
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
    /// The identities of the model files that answered, where the model tells them.
    public var assetIDs: [String]
    /// What else the model said of its answer.
    public private(set) var metadata: [String: GeneratedContent]

    /// Makes an entry.
    public init(id: String = newIdentity(), assetIDs: [String], segments: [Segment]) {
      self.init(id: id, segments: segments)
      self.assetIDs = assetIDs
    }

    /// Makes an entry.
    public init(
      id: String = newIdentity(),
      metadata: [String: any ConvertibleToGeneratedContent] = [:],
      segments: [Segment]
    ) {
      self.id = id
      self.metadata = metadata.mapValues(\.generatedContent)
      self.segments = segments
      assetIDs = []
    }

    /// The key of the metadata that says by which bound an answer was cut off: of its model, of its
    /// server, or of its agent.
    package static let cutKey = "cut"

    /// The bound that cut the answer off, which is none of the turn's caps; `nil` where it is whole.
    package var cut: String? {
      get { metadata[Self.cutKey].flatMap { try? $0.value(String.self) } }
      set { metadata[Self.cutKey] = newValue?.generatedContent }
    }
  }

  /// What a model thought before it answered or called.
  public struct Reasoning: Sendable, Equatable, Identifiable {
    /// The identity of the entry.
    public var id: String
    /// What it thought.
    public var segments: [Segment]
    /// What proves to a server that the thought is its own model's, where it asks for that.
    public var signature: Data?
    /// What else the model said of its thought.
    public var metadata: [String: GeneratedContent]

    /// Makes an entry.
    public init(
      id: String = newIdentity(),
      metadata: [String: any ConvertibleToGeneratedContent] = [:],
      segments: [Segment],
      signature: Data? = nil
    ) {
      self.id = id
      self.metadata = metadata.mapValues(\.generatedContent)
      self.segments = segments
      self.signature = signature
    }
  }
}
