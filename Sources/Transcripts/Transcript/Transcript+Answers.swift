public import PlatformLibraries

extension Transcript {
  /// The calls that a model made in one round.
  public struct ToolCalls: Sendable, Equatable, Identifiable, RandomAccessCollection {
    /// The identity of the entry.
    public var id: String
    private var calls: [ToolCall]

    /// Creates an entry from calls.
    public init(id: String = newIdentity(), _ calls: some Sequence<ToolCall>) {
      self.id = id
      self.calls = Array(calls)
    }

    /// The index of the first call.
    public var startIndex: Int { calls.startIndex }
    /// The index after the last call.
    public var endIndex: Int { calls.endIndex }
    /// The call at an index.
    public subscript(position: Int) -> ToolCall { calls[position] }
  }

  /// A call of a tool.
  public struct ToolCall: Sendable, Equatable, Identifiable {
    /// The identity of the call, which its output shares.
    public var id: String
    /// The tool that was called.
    public var toolName: String
    /// The arguments of the call.
    public var arguments: GeneratedContent
    /// Additional information from the model about the call.
    public var metadata: [String: GeneratedContent]

    /// Creates a call.
    public init(id: String, toolName: String, arguments: GeneratedContent) {
      self.init(id: id, metadata: [:], toolName: toolName, arguments: arguments)
    }

    /// Creates a call.
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

  /// The output of a call.
  public struct ToolOutput: Sendable, Equatable, Identifiable {
    /// The identity of the call to which the output belongs.
    public var id: String
    /// The tool that was called.
    public var toolName: String
    /// The content of the output.
    public var segments: [Segment]

    /// Creates an entry.
    public init(id: String, toolName: String, segments: [Segment]) {
      self.id = id
      self.toolName = toolName
      self.segments = segments
    }
  }

  /// A model's answer.
  public struct Response: Sendable, Equatable, Identifiable {
    /// The identity of the entry.
    public var id: String
    /// The content of the answer.
    public var segments: [Segment]
    /// The identities of the model files that produced the answer, if the model reports them.
    public var assetIDs: [String]
    /// Additional information from the model about the answer.
    public private(set) var metadata: [String: GeneratedContent]

    /// Creates an entry.
    public init(id: String = newIdentity(), assetIDs: [String], segments: [Segment]) {
      self.init(id: id, segments: segments)
      self.assetIDs = assetIDs
    }

    /// Creates an entry.
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

    /// The metadata key for the limit of the model, the server or the agent that cut an answer off.
    package static let cutKey = "cut"
    /// What cut off an answer that repeated itself without end.
    package static let repetition = "repetition"

    /// The limit that cut the answer off, other than the turn's caps; `nil` if the answer is
    /// complete.
    package var cut: String? {
      get { metadata[Self.cutKey].flatMap { try? $0.value(String.self) } }
      set { metadata[Self.cutKey] = newValue?.generatedContent }
    }
  }

  /// A model's reasoning before it answered or called tools.
  public struct Reasoning: Sendable, Equatable, Identifiable {
    /// The identity of the entry.
    public var id: String
    /// The content of the reasoning.
    public var segments: [Segment]
    /// The signature that proves to a server that the reasoning comes from its own model, if it
    /// needs one.
    public var signature: Data?
    /// Additional information from the model about the reasoning.
    public var metadata: [String: GeneratedContent]

    /// Creates an entry.
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
