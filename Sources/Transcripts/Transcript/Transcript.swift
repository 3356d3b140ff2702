/// The entries of a conversation in order: the context in which a model works.
///
/// ```swift
/// struct Log {
///   /// The names of all tools that were called.
///   func calls(in transcript: Transcript) -> [String] {
///     transcript.flatMap { entry -> [String] in
///       if case .toolCalls(let calls) = entry { calls.map(\.toolName) } else { [] }
///     }
///   }
/// }
/// ```
///
/// ## Topics
///
/// ### Entries
///
/// - ``Entry``
/// - ``Instructions``
/// - ``Prompt``
/// - ``Reasoning``
/// - ``ToolCalls``
/// - ``ToolOutput``
/// - ``Response``
/// - ``history``
///
/// ### Parts of entries
///
/// - ``Segment``
/// - ``TextSegment``
/// - ``StructuredSegment``
/// - ``AttachmentSegment``
/// - ``ToolCall``
/// - ``ToolDefinition``
/// - ``ResponseFormat``
public struct Transcript: Sendable, Equatable {
  /// The instructions at the front; where there are none, the history does not begin with any.
  ///
  /// Apart from the history, because they come and go with the profile that answers.
  package var leadingInstructions: Instructions?
  var past = ChunkedArray<Entry>()

  /// Creates a transcript from entries.
  public init(entries: some Sequence<Entry> = []) {
    history = HistoryView(entries)
  }

  /// An item of a transcript.
  public enum Entry: Sendable, Equatable, Identifiable {
    /// What the agent was told before the conversation, and the tools that it had.
    case instructions(Instructions)
    /// A prompt from a person or a program.
    case prompt(Prompt)
    /// The calls that the model made in one round.
    case toolCalls(ToolCalls)
    /// The output of a call.
    case toolOutput(ToolOutput)
    /// A model's answer.
    case response(Response)
    /// A model's reasoning before it answered or called tools.
    case reasoning(Reasoning)

    /// The identity of the payload.
    public var id: String {
      switch self {
      case .instructions(let payload): payload.id
      case .prompt(let payload): payload.id
      case .toolCalls(let payload): payload.id
      case .toolOutput(let payload): payload.id
      case .response(let payload): payload.id
      case .reasoning(let payload): payload.id
      }
    }
  }

  /// A part of an entry.
  public enum Segment: Sendable, Equatable, Identifiable {
    /// Text.
    case text(TextSegment)
    /// Structured content.
    case structure(StructuredSegment)
    /// Something that is not text, such as an image.
    case attachment(AttachmentSegment)

    /// The identity of the payload.
    public var id: String {
      switch self {
      case .text(let payload): payload.id
      case .structure(let payload): payload.id
      case .attachment(let payload): payload.id
      }
    }

    package var text: String {
      switch self {
      case .text(let payload): payload.content
      case .structure(let payload): payload.content.jsonString
      case .attachment(let payload): payload.description
      }
    }
  }

  /// A part of an entry that is text.
  public struct TextSegment: Sendable, Equatable, Identifiable {
    /// The identity of the segment.
    public var id: String
    /// The text.
    public var content: String

    /// Creates a segment.
    public init(id: String = newIdentity(), content: String) {
      self.id = id
      self.content = content
    }
  }

  /// A part of an entry that is structured content.
  public struct StructuredSegment: Sendable, Equatable, Identifiable {
    /// The identity of the segment.
    public var id: String
    /// The name of the schema that the content follows.
    public var schemaName: String
    /// The content.
    public var content: GeneratedContent

    /// Creates a segment.
    public init(
      id: String = newIdentity(),
      schemaName: String,
      content: GeneratedContent
    ) {
      self.id = id
      self.schemaName = schemaName
      self.content = content
    }

    /// Creates a segment.
    @available(*, deprecated, renamed: "init(id:schemaName:content:)")
    public init(id: String = newIdentity(), source: String, content: GeneratedContent) {
      self.init(id: id, schemaName: source, content: content)
    }

    /// The name of the schema that the content follows.
    @available(*, deprecated, renamed: "schemaName")
    public var source: String {
      get { schemaName }
      set { schemaName = newValue }
    }
  }
}

extension Sequence where Element == Transcript.Segment {
  /// The text of all segments, each on its own line.
  package var joinedText: String { map(\.text).joined(separator: "\n") }
}
