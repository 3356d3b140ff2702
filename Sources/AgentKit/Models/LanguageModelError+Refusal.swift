extension LanguageModelError {
  /// Why a model refuses to answer.
  ///
  /// Only a structured answer can be refused with an error; a refusal in text is the text.
  public struct Refusal: Sendable {
    let reason: String
    /// What happened, for a developer.
    public var debugDescription: String
    /// What else is known.
    public var metadata: [String: any Sendable]

    /// Makes the facts of an error.
    /// - Parameter explanation: Why the model refuses, in its own words.
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
    /// FoundationModels generates the explanation when it is asked for. Here the model has given it
    /// with the error, so that nothing is generated and nothing is thrown.
    public var explanation: LanguageModelSession.Response<String> {
      get async throws { try LanguageModelSession.Response(.said(reason)) }
    }

    /// Why the model refuses, as a stream of one snapshot.
    public var explanationStream: LanguageModelSession.ResponseStream<String> {
      LanguageModelSession.ResponseStream(.said(reason))
    }
  }
}
