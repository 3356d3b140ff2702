/// What a person thinks of an answer, in the terms of FoundationModels.
public struct LanguageModelFeedback: Sendable {
  /// How the person liked it.
  public enum Sentiment: String, Sendable, CaseIterable, Codable {
    /// It was good.
    case positive
    /// It was bad.
    case negative
    /// It was neither.
    case neutral
  }

  /// What was wrong with it.
  public struct Issue: Sendable {
    /// What kind of wrong.
    public enum Category: String, Sendable, CaseIterable, Codable {
      /// It did not help.
      case unhelpful
      /// It said too much.
      case tooVerbose
      /// It did not do what the instructions said.
      case didNotFollowInstructions
      /// It was not true.
      case incorrect
      /// It was prejudiced.
      case stereotypeOrBias
      /// It was suggestive or sexual.
      case suggestiveOrSexual
      /// It was vulgar or offensive.
      case vulgarOrOffensive
      /// A guardrail stopped what was harmless.
      case triggeredGuardrailUnexpectedly
    }

    let category: Category
    let explanation: String?

    /// Makes an issue.
    public init(category: Category, explanation: String? = nil) {
      self.category = category
      self.explanation = explanation
    }
  }
}
