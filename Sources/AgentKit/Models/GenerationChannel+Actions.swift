#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension LanguageModelExecutorGenerationChannel {
  /// What happens to an answer or a thought.
  package enum Part: Sendable {
    case append(String, segmentID: String?)
    case replace(String, segmentID: String?)
    case attach(Transcript.AttachmentSegment)
    case detach(segmentID: String)
    case signature(Data)
    case metadata([String: GeneratedContent])
    case usage(Usage)
  }

  /// Parts of an answer.
  public enum Response {
    /// What happens to the answer.
    public struct Action: Sendable {
      package let part: Part

      /// Adds text to a segment; to the last one when none is named.
      /// - Parameter tokenCount: How many tokens the text was generated from.
      public static func appendText(
        _ text: String,
        segmentID: String? = nil,
        tokenCount: Int
      ) -> Action {
        Action(part: .append(text, segmentID: segmentID))
      }

      /// Replaces the text of a segment; of the last one when none is named.
      /// - Parameter tokenCount: How many tokens the text was generated from.
      public static func replaceTextSegment(
        _ text: String,
        segmentID: String? = nil,
        tokenCount: Int
      ) -> Action {
        Action(part: .replace(text, segmentID: segmentID))
      }

      /// Adds something that is not text; one with the identity of another takes its place.
      public static func addAttachmentSegment(
        _ segment: Transcript.AttachmentSegment
      ) -> Action {
        Action(part: .attach(segment))
      }

      /// Takes an attachment back; nothing happens where there is none of this identity.
      public static func removeAttachmentSegment(id: String) -> Action {
        Action(part: .detach(segmentID: id))
      }

      /// Says something beside the answer; it replaces what was said before.
      public static func updateMetadata(
        _ metadata: [String: any ConvertibleToGeneratedContent]
      ) -> Action {
        Action(part: .metadata(metadata.mapValues(\.generatedContent)))
      }

      /// States what the request has used up to now; it replaces what was stated before.
      public static func updateUsage(
        input: Usage.Input,
        output: Usage.Output,
        metadata: [String: any ConvertibleToGeneratedContent] = [:]
      ) -> Action {
        Action(part: .usage(Usage(input: input, output: output, metadata: metadata)))
      }
    }
  }

  /// Parts of the thinking before an answer.
  public enum Reasoning {
    /// What happens to the thinking.
    public struct Action: Sendable {
      package let part: Part

      /// Adds text to a segment; to the last one when none is named.
      /// - Parameter tokenCount: How many tokens the text was generated from.
      public static func appendText(
        _ text: String,
        segmentID: String? = nil,
        tokenCount: Int
      ) -> Action {
        Action(part: .append(text, segmentID: segmentID))
      }

      /// Replaces the text of a segment; of the last one when none is named.
      /// - Parameter tokenCount: How many tokens the text was generated from.
      public static func replaceTextSegment(
        _ text: String,
        segmentID: String? = nil,
        tokenCount: Int
      ) -> Action {
        Action(part: .replace(text, segmentID: segmentID))
      }

      /// Gives what proves to a server that the thought is its own model's.
      /// - Parameter tokenCount: How many tokens it stands for.
      public static func updateSignature(_ signature: Data, tokenCount: Int) -> Action {
        Action(part: .signature(signature))
      }

      /// Says something beside the thought; it replaces what was said before.
      public static func updateMetadata(
        _ metadata: [String: any ConvertibleToGeneratedContent]
      ) -> Action {
        Action(part: .metadata(metadata.mapValues(\.generatedContent)))
      }

      /// States what the request has used up to now; it replaces what was stated before.
      public static func updateUsage(
        input: Usage.Input,
        output: Usage.Output,
        metadata: [String: any ConvertibleToGeneratedContent] = [:]
      ) -> Action {
        Action(part: .usage(Usage(input: input, output: output, metadata: metadata)))
      }
    }
  }

  /// Parts of a round of calls.
  public enum ToolCalls {
    /// What happens to the round.
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

      /// Takes a call back.
      public static func removeToolCall(id: String) -> Action {
        Action(content: .removal(id: id))
      }

      /// Says something beside the round; it replaces what was said before.
      ///
      /// A round's entry has no place to keep it, so each of its calls does, with what it says itself.
      public static func updateMetadata(
        _ metadata: [String: any ConvertibleToGeneratedContent]
      ) -> Action {
        Action(content: .metadata(metadata.mapValues(\.generatedContent)))
      }

      /// States what the request has used up to now; it replaces what was stated before.
      public static func updateUsage(
        input: Usage.Input,
        output: Usage.Output,
        metadata: [String: any ConvertibleToGeneratedContent] = [:]
      ) -> Action {
        Action(content: .usage(Usage(input: input, output: output, metadata: metadata)))
      }
    }

    /// Parts of one call.
    public enum ToolCall {
      /// What happens to the call.
      public struct Action: Sendable {
        package enum Content: Sendable {
          case arguments(String)
          case metadata([String: GeneratedContent])
        }

        package let content: Content

        /// Adds to the JSON text of the arguments.
        /// - Parameter tokenCount: How many tokens the text was generated from.
        public static func appendArguments(_ content: String, tokenCount: Int) -> Action {
          Action(content: .arguments(content))
        }

        /// Says something beside the call; it replaces what was said before.
        public static func updateMetadata(
          _ metadata: [String: any ConvertibleToGeneratedContent]
        ) -> Action {
          Action(content: .metadata(metadata.mapValues(\.generatedContent)))
        }
      }
    }
  }
}
