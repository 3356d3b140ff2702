#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension LanguageModelExecutorGenerationChannel {
  /// A change to an answer or to reasoning.
  package enum Part: Sendable {
    case append(String, segmentID: String?)
    case replace(String, segmentID: String?)
    case attach(Transcript.AttachmentSegment)
    case detach(segmentID: String)
    case signature(Data)
    case metadata([String: GeneratedContent])
    case usage(Usage)
  }

  /// The parts of an answer.
  public enum Response {
    /// A change to the answer.
    public struct Action: Sendable {
      package let part: Part
      package var tokenCount = 0

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
        Action(part: .append(text, segmentID: segmentID), tokenCount: tokenCount)
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
        Action(part: .replace(text, segmentID: segmentID), tokenCount: tokenCount)
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

      /// Sets the metadata of the answer, replacing what was set before.
      public static func updateMetadata(
        _ metadata: [String: any ConvertibleToGeneratedContent]
      ) -> Action {
        Action(part: .metadata(metadata.mapValues(\.generatedContent)))
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

  /// The parts of the reasoning that precedes an answer.
  public enum Reasoning {
    /// A change to the reasoning.
    public struct Action: Sendable {
      package let part: Part
      package var tokenCount = 0

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
        Action(part: .append(text, segmentID: segmentID), tokenCount: tokenCount)
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
        Action(part: .replace(text, segmentID: segmentID), tokenCount: tokenCount)
      }

      /// Sets the signature that proves to a server that the reasoning comes from its own model.
      ///
      /// - Parameters:
      ///   - signature: The signature.
      ///   - tokenCount: The number of tokens that the signature stands for.
      public static func updateSignature(_ signature: Data, tokenCount: Int) -> Action {
        Action(part: .signature(signature), tokenCount: tokenCount)
      }

      /// Sets the metadata of the reasoning, replacing what was set before.
      public static func updateMetadata(
        _ metadata: [String: any ConvertibleToGeneratedContent]
      ) -> Action {
        Action(part: .metadata(metadata.mapValues(\.generatedContent)))
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

  /// The parts of a round of calls.
  public enum ToolCalls {
    /// A change to the round.
    public struct Action: Sendable {
      package enum Content: Sendable {
        case call(id: String, name: String, ToolCall.Action)
        case removal(id: String)
        case metadata([String: GeneratedContent])
        case usage(Usage)
      }

      package let content: Content

      /// Adds to one call.
      ///
      /// Every event repeats the call's identity and name.
      public static func toolCall(id: String, name: String, action: ToolCall.Action) -> Action {
        Action(content: .call(id: id, name: name, action))
      }

      /// Removes a call.
      public static func removeToolCall(id: String) -> Action {
        Action(content: .removal(id: id))
      }

      /// Sets the metadata of the round, replacing what was set before.
      ///
      /// The entry of a round cannot hold metadata, so each of its calls does, along with the
      /// call's own.
      public static func updateMetadata(
        _ metadata: [String: any ConvertibleToGeneratedContent]
      ) -> Action {
        Action(content: .metadata(metadata.mapValues(\.generatedContent)))
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

    /// The parts of a call.
    public enum ToolCall {
      /// A change to the call.
      public struct Action: Sendable {
        package enum Content: Sendable {
          case arguments(String)
          case metadata([String: GeneratedContent])
        }

        package let content: Content
        package var tokenCount = 0

        /// Appends to the JSON text of the arguments.
        ///
        /// - Parameters:
        ///   - content: The text to append.
        ///   - tokenCount: The number of tokens from which the text was generated.
        public static func appendArguments(_ content: String, tokenCount: Int) -> Action {
          Action(content: .arguments(content), tokenCount: tokenCount)
        }

        /// Sets the metadata of the call, replacing what was set before.
        public static func updateMetadata(
          _ metadata: [String: any ConvertibleToGeneratedContent]
        ) -> Action {
          Action(content: .metadata(metadata.mapValues(\.generatedContent)))
        }
      }
    }
  }
}
