#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension LanguageModelSession {
  /// Makes a document of what a person thinks of the conversation, to be attached to a report.
  ///
  /// It is JSON with the transcript in it, so that it holds all that was said. FoundationModels also
  /// logs it; here nothing is sent or kept anywhere.
  /// - Parameter desiredOutput: What the person would have liked to be answered.
  @discardableResult
  public func logFeedbackAttachment(
    sentiment: LanguageModelFeedback.Sentiment?,
    issues: [LanguageModelFeedback.Issue] = [],
    desiredOutput: Transcript.Entry? = nil
  ) -> Data {
    let attachment = FeedbackAttachment(
      sentiment: sentiment,
      issues: issues.map { .init(category: $0.category, explanation: $0.explanation) },
      desiredOutput: desiredOutput,
      session: transcript
    )
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    // Only a number that JSON does not have could fail, and content has none of these.
    return (try? encoder.encode(attachment)) ?? Data()
  }

  /// Makes a document of what a person thinks of the conversation, to be attached to a report.
  /// - Parameter desiredResponseText: What the person would have liked to be answered.
  @discardableResult
  public func logFeedbackAttachment(
    sentiment: LanguageModelFeedback.Sentiment?,
    issues: [LanguageModelFeedback.Issue] = [],
    desiredResponseText: String?
  ) -> Data {
    let desired = desiredResponseText.map {
      Transcript.Entry.response(.init(segments: [.text(.init(content: $0))]))
    }
    return logFeedbackAttachment(sentiment: sentiment, issues: issues, desiredOutput: desired)
  }

  /// Makes a document of what a person thinks of the conversation, to be attached to a report.
  /// - Parameter desiredResponseContent: What the person would have liked to be answered.
  @discardableResult
  public func logFeedbackAttachment(
    sentiment: LanguageModelFeedback.Sentiment?,
    issues: [LanguageModelFeedback.Issue] = [],
    desiredResponseContent: (any ConvertibleToGeneratedContent)?
  ) -> Data {
    let desired = desiredResponseContent.map { content in
      let segment = Transcript.StructuredSegment(
        schemaName: String(describing: type(of: content)),
        content: content.generatedContent
      )
      return Transcript.Entry.response(.init(segments: [.structure(segment)]))
    }
    return logFeedbackAttachment(sentiment: sentiment, issues: issues, desiredOutput: desired)
  }
}

private struct FeedbackAttachment: Encodable {
  struct Issue: Encodable {
    let category: LanguageModelFeedback.Issue.Category
    let explanation: String?
  }

  let sentiment: LanguageModelFeedback.Sentiment?
  let issues: [Issue]
  let desiredOutput: Transcript.Entry?
  let session: Transcript
}
