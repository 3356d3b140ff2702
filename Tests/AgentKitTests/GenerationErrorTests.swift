import AgentKit
import Testing

/// The errors of FoundationModels 26, which code may still create and read.
@Suite(.timeLimit(.minutes(5)))
struct GenerationErrorTests {
  @available(*, deprecated)
  @Test func `Each is described by its context`() {
    typealias Failure = LanguageModelSession.GenerationError
    let context = Failure.Context(debugDescription: "It was late.")
    let failures: [Failure] = [
      .exceededContextWindowSize(context), .assetsUnavailable(context),
      .guardrailViolation(context), .unsupportedGuide(context),
      .unsupportedLanguageOrLocale(context), .decodingFailure(context), .rateLimited(context),
      .concurrentRequests(context), .refusal(.init(transcriptEntries: []), context),
    ]
    for failure in failures {
      #expect(failure.errorDescription == "It was late.")
      #expect("\(TurnExit(throwing: failure))" == "failed: It was late.")
    }
  }

  @Test func `An error of a session says the same to developers and to people`() {
    for error in [
      LanguageModelSession.Error.concurrentRequests, .transcriptMutationWhileResponding,
    ] {
      #expect(error.debugDescription.contains("isResponding is false"))
      #expect(error.errorDescription == error.debugDescription)
      #expect(String(reflecting: error) == error.debugDescription)
    }
  }

  @Test func `No quota of a server is known to be near its limit`() {
    let quota = PrivateCloudComputeLanguageModel().quotaUsage
    guard case .belowLimit(let limit) = quota.status else {
      Issue.record("\(quota)")
      return
    }
    #expect(!limit.isApproachingLimit)
    #expect(!quota.isLimitReached)
    #expect(quota.limitIncreaseSuggestion == nil)
  }
}
