/// A person's feedback on an answer, in the terms of FoundationModels.
public struct LanguageModelFeedback: Sendable {
  /// The person's opinion of the answer.
  public enum Sentiment: String, Sendable, CaseIterable, Codable {
    /// The answer was good.
    case positive
    /// The answer was bad.
    case negative
    /// The answer was neither good nor bad.
    case neutral
  }

  /// A problem with an answer.
  public struct Issue: Sendable {
    /// The category of a problem.
    public enum Category: String, Sendable, CaseIterable, Codable {
      /// The answer did not help.
      case unhelpful
      /// The answer was too long.
      case tooVerbose
      /// The answer did not follow the instructions.
      case didNotFollowInstructions
      /// The answer was not true.
      case incorrect
      /// The answer showed stereotypes or bias.
      case stereotypeOrBias
      /// The answer was suggestive or sexual.
      case suggestiveOrSexual
      /// The answer was vulgar or offensive.
      case vulgarOrOffensive
      /// A guardrail blocked something harmless.
      case triggeredGuardrailUnexpectedly
    }

    let category: Category
    let explanation: String?

    /// Creates an issue.
    public init(category: Category, explanation: String? = nil) {
      self.category = category
      self.explanation = explanation
    }
  }
}
