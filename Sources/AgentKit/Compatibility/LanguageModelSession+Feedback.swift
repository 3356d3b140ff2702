public import PlatformLibraries

extension LanguageModelSession {
  /// Creates a JSON document of a person's feedback on the conversation, to attach to a report.
  ///
  /// The document includes the transcript, and therefore everything that was said. FoundationModels
  /// also logs it; here nothing is sent or stored.
  ///
  /// - Parameters:
  ///   - sentiment: The person's opinion of the answer.
  ///   - issues: The problems with the answer.
  ///   - desiredOutput: The answer that the person would have liked.
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
    // Encoding could fail only for a non-finite number, and content contains none.
    return (try? encoder.encode(attachment)) ?? Data()
  }

  /// Creates a document with a text that the person would have liked; see the form with an entry.
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

  /// Creates a document with content that the person would have liked; see the form with an entry.
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
