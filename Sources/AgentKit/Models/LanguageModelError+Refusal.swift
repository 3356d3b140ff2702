extension LanguageModelError {
  /// The details of a refusal.
  ///
  /// Only the refusal of a structured answer is an error; a refusal in text is the answer itself.
  public struct Refusal: Sendable {
    let reason: String
    /// A description of the error for developers.
    public var debugDescription: String
    /// Additional information about the error.
    public var metadata: [String: any Sendable]

    /// Creates the details of a refusal.
    ///
    /// - Parameters:
    ///   - explanation: Why the model refuses, in its own words.
    ///   - debugDescription: A description of the error for developers.
    ///   - metadata: Additional information about the error.
    public init(
      explanation: String,
      debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      reason = explanation
      self.debugDescription = debugDescription
      self.metadata = metadata
    }

    /// Why the model refuses, in its own words.
    ///
    /// FoundationModels generates the explanation on request. Here the model provides it with the
    /// error, so nothing is generated and nothing is thrown.
    public var explanation: LanguageModelSession.Response<String> {
      get async throws { try LanguageModelSession.Response(.said(reason)) }
    }

    /// Why the model refuses, as a stream of one snapshot.
    public var explanationStream: LanguageModelSession.ResponseStream<String> {
      LanguageModelSession.ResponseStream(.said(reason))
    }
  }
}
