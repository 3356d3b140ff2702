public import PlatformLibraries

extension LanguageModelExecutorGenerationChannel {
  /// A change to an answer or to reasoning.
  package enum Part: Sendable {
    case append(TextFragment)
    case replace(TextSegmentReplacement)
    case attach(Transcript.AttachmentSegment)
    case detach(segmentID: String)
    case signature(ReasoningSignature)
    case metadata(Metadata)
    case usage(Usage)

    var tokenCount: Int {
      switch self {
      case .append(let fragment): fragment.tokenCount
      case .replace(let replacement): replacement.tokenCount
      case .signature(let signature): signature.tokenCount
      case .attach, .detach, .metadata, .usage: 0
      }
    }
  }

  /// A part of an answer.
  public struct Response: Sendable {
    /// The identity of the entry, or `nil` for the one that is being generated.
    public var entryID: String?
    /// The change to the answer.
    public var action: Action

    /// A change to the answer.
    public struct Action: Sendable {
      package let part: Part

      /// Appends text to a segment, or to the last one if none is named.
      ///
      /// - Parameters:
      ///   - text: The text to append.
      ///   - segmentID: The identity of the segment.
      ///   - tokenCount: The number of tokens from which the text was generated.
      public static func appendText(
        _ text: String,
        segmentID: String? = nil,
        tokenCount: Int
      ) -> Action {
        Action(part: .append(.init(content: text, tokenCount: tokenCount, segmentID: segmentID)))
      }

      /// Replaces the text of a segment, or of the last one if none is named.
      ///
      /// - Parameters:
      ///   - text: The new text.
      ///   - segmentID: The identity of the segment.
      ///   - tokenCount: The number of tokens from which the text was generated.
      public static func replaceTextSegment(
        _ text: String,
        segmentID: String? = nil,
        tokenCount: Int
      ) -> Action {
        Action(part: .replace(.init(content: text, tokenCount: tokenCount, segmentID: segmentID)))
      }

      /// Adds an attachment after all other segments; it replaces none, whatever its identity.
      public static func addAttachmentSegment(
        _ segment: Transcript.AttachmentSegment
      ) -> Action {
        Action(part: .attach(segment))
      }

      /// Removes all attachments with the given identity, if there are any.
      public static func removeAttachmentSegment(id: String) -> Action {
        Action(part: .detach(segmentID: id))
      }

      /// Sets the usage of the request so far, replacing what was set or counted before.
      package static func updateUsage(_ usage: Usage) -> Action { Action(part: .usage(usage)) }

      /// Sets the metadata of the answer, replacing what was set before.
      public static func updateMetadata(
        _ metadata: [String: any ConvertibleToGeneratedContent]
      ) -> Action {
        Action(part: .metadata(Metadata(metadata)))
      }

      /// Sets the usage of the request so far, replacing what was set or counted before.
      public static func updateUsage(
        input: Usage.Input,
        output: Usage.Output,
        metadata: [String: any ConvertibleToGeneratedContent] = [:]
      ) -> Action {
        Action(part: .usage(Usage(input: input, output: output, metadata: metadata)))
      }
    }
  }

  /// A part of the reasoning that precedes an answer.
  public struct Reasoning: Sendable {
    /// The identity of the entry, or `nil` for the one that is being generated.
    public var entryID: String?
    /// The change to the reasoning.
    public var action: Action

    /// A change to the reasoning.
    public struct Action: Sendable {
      package let part: Part

      /// Appends text to a segment, or to the last one if none is named.
      ///
      /// - Parameters:
      ///   - text: The text to append.
      ///   - segmentID: The identity of the segment.
      ///   - tokenCount: The number of tokens from which the text was generated.
      public static func appendText(
        _ text: String,
        segmentID: String? = nil,
        tokenCount: Int
      ) -> Action {
        Action(part: .append(.init(content: text, tokenCount: tokenCount, segmentID: segmentID)))
      }

      /// Replaces the text of a segment, or of the last one if none is named.
      ///
      /// - Parameters:
      ///   - text: The new text.
      ///   - segmentID: The identity of the segment.
      ///   - tokenCount: The number of tokens from which the text was generated.
      public static func replaceTextSegment(
        _ text: String,
        segmentID: String? = nil,
        tokenCount: Int
      ) -> Action {
        Action(part: .replace(.init(content: text, tokenCount: tokenCount, segmentID: segmentID)))
      }

      /// Sets the signature that proves to a server that the reasoning comes from its own model.
      ///
      /// - Parameters:
      ///   - signature: The signature.
      ///   - tokenCount: The number of tokens that the signature stands for.
      public static func updateSignature(_ signature: Data, tokenCount: Int) -> Action {
        Action(part: .signature(.init(signature: signature, tokenCount: tokenCount)))
      }

      /// Sets the metadata of the reasoning, replacing what was set before.
      public static func updateMetadata(
        _ metadata: [String: any ConvertibleToGeneratedContent]
      ) -> Action {
        Action(part: .metadata(Metadata(metadata)))
      }

      /// Sets the usage of the request so far, replacing what was set or counted before.
      public static func updateUsage(
        input: Usage.Input,
        output: Usage.Output,
        metadata: [String: any ConvertibleToGeneratedContent] = [:]
      ) -> Action {
        Action(part: .usage(Usage(input: input, output: output, metadata: metadata)))
      }
    }
  }

  /// A part of a round of calls.
  public struct ToolCalls: Sendable {
    /// The identity of the entry, or `nil` for the one that is being generated.
    public var entryID: String?
    /// The change to the round.
    public var action: Action

    /// A change to the round.
    public struct Action: Sendable {
      package enum Content: Sendable {
        case call(ToolCall)
        case removal(id: String)
        case metadata(Metadata)
        case usage(Usage)
      }

      package let content: Content

      /// Adds to one call.
      ///
      /// Every event repeats the call's identity and name.
      public static func toolCall(id: String, name: String, action: ToolCall.Action) -> Action {
        Action(content: .call(ToolCall(id: id, name: name, action: action)))
      }

      /// Removes a call.
      public static func removeToolCall(id: String) -> Action {
        Action(content: .removal(id: id))
      }

      /// Sets the usage of the request so far, replacing what was set or counted before.
      package static func updateUsage(_ usage: Usage) -> Action { Action(content: .usage(usage)) }

      /// Sets the metadata of the round, replacing what was set before.
      ///
      /// The entry of a round cannot hold metadata, so each of its calls does, along with the
      /// call's own.
      public static func updateMetadata(
        _ metadata: [String: any ConvertibleToGeneratedContent]
      ) -> Action {
        Action(content: .metadata(Metadata(metadata)))
      }

      /// Sets the usage of the request so far, replacing what was set or counted before.
      public static func updateUsage(
        input: Usage.Input,
        output: Usage.Output,
        metadata: [String: any ConvertibleToGeneratedContent] = [:]
      ) -> Action {
        Action(content: .usage(Usage(input: input, output: output, metadata: metadata)))
      }
    }

    /// A part of a call.
    public struct ToolCall: Sendable {
      /// The identity of the call.
      public var id: String
      /// The name of the tool.
      public var name: String
      /// The change to the call.
      public var action: Action

      /// A change to the call.
      public struct Action: Sendable {
        package enum Content: Sendable {
          case arguments(ArgumentsFragment)
          case metadata(Metadata)
        }

        package let content: Content

        var tokenCount: Int {
          switch content {
          case .arguments(let fragment): fragment.tokenCount
          case .metadata: 0
          }
        }

        /// Appends to the JSON text of the arguments.
        ///
        /// - Parameters:
        ///   - content: The text to append.
        ///   - tokenCount: The number of tokens from which the text was generated.
        public static func appendArguments(_ content: String, tokenCount: Int) -> Action {
          Action(content: .arguments(.init(content: content, tokenCount: tokenCount)))
        }

        /// Sets the metadata of the call, replacing what was set before.
        public static func updateMetadata(
          _ metadata: [String: any ConvertibleToGeneratedContent]
        ) -> Action {
          Action(content: .metadata(Metadata(metadata)))
        }
      }
    }
  }
}
