import Testing

@testable import AgentKit

extension LanguageModelSession.DynamicProfile {
  /// The resolved profile, outside of any session.
  var resolved: ResolvedProfile {
    var resolved = ResolvedProfile()
    resolved.append(self)
    return resolved
  }
}

@Suite struct `A profile's values` {
  private let base = LanguageModelSession.Profile { Instructions("Base.") }

  @Test func `come from the modifier that is closest`() {
    let options = base.temperature(0.1).temperature(0.9).toolCallingMode(.required)
      .toolCallingMode(.disallowed).maximumResponseTokens(5).maximumResponseTokens(6)
      .samplingMode(.greedy).samplingMode(.random(top: 2)).resolved.options
    #expect(
      options
        == GenerationOptions(
          samplingMode: .greedy,
          temperature: 0.1,
          maximumResponseTokens: 5,
          toolCallingMode: .required
        )
    )
  }

  @Test func `are each set on their own`() {
    let options = base.temperature(0.1).maximumResponseTokens(7).temperature(0.2).resolved.options
    #expect(options == GenerationOptions(temperature: 0.1, maximumResponseTokens: 7))
    #expect(base.resolved.options == GenerationOptions())
  }

  @Test func `are not set by nil`() {
    let resolved = base.temperature(nil).temperature(0.3).samplingMode(nil).samplingMode(.greedy)
      .maximumResponseTokens(nil).maximumResponseTokens(4).toolCallingMode(nil)
      .toolCallingMode(.required).reasoningLevel(nil).reasoningLevel(.deep)
      .transcriptErrorHandlingPolicy(nil).transcriptErrorHandlingPolicy(.preserveTranscript)
      .resolved
    #expect(
      resolved.options
        == GenerationOptions(
          samplingMode: .greedy,
          temperature: 0.3,
          maximumResponseTokens: 4,
          toolCallingMode: .required
        )
    )
    #expect(resolved.reasoningLevel == .deep)
    #expect(resolved.errorPolicy?.kind == .preserve)
  }

  @Test func `include the model, the reasoning level and the policy of the closest modifier`() {
    let inner = ScriptedLanguageModel()
    let resolved = base.model(inner).model(ScriptedLanguageModel())
      .reasoningLevel(.light).reasoningLevel(.deep)
      .transcriptErrorHandlingPolicy(.preserveTranscript)
      .transcriptErrorHandlingPolicy(.revertTranscript).resolved
    let model = resolved.model as? ScriptedLanguageModel
    #expect(model?.executorConfiguration == inner.executorConfiguration)
    #expect(resolved.reasoningLevel == .light)
    #expect(resolved.errorPolicy?.kind == .preserve)
  }

  @Test func `of an outer profile are defaults for the inner one`() {
    struct Inner: LanguageModelSession.DynamicProfile {
      var body: some DynamicProfile { Profile { Instructions("Inner.") }.temperature(0.1) }
    }
    struct Outer: LanguageModelSession.DynamicProfile {
      var body: some DynamicProfile { Inner().temperature(0.9).maximumResponseTokens(8) }
    }
    let resolved = Outer().resolved
    #expect(resolved.options == GenerationOptions(temperature: 0.1, maximumResponseTokens: 8))
    #expect(resolved.instructions.segments.joinedText == "Inner.")
  }

  @Test func `may come from a modifier of one's own`() {
    struct Careful: LanguageModelSession.DynamicProfileModifier {
      let tokens: Int
      func body(content: Content) -> some DynamicProfile {
        if tokens > 5 {
          content.temperature(0).maximumResponseTokens(tokens)
        } else {
          content.maximumResponseTokens(1)
        }
      }
    }
    let options = base.temperature(0.4).modifier(Careful(tokens: 9)).resolved.options
    #expect(options == GenerationOptions(temperature: 0.4, maximumResponseTokens: 9))
    #expect(base.modifier(Careful(tokens: 2)).resolved.options.maximumResponseTokens == 1)
  }
}

@Suite struct `A dynamic profile` {
  @Test(arguments: [(0, "zero"), (1, "one"), (5, "many"), (6, "many and even")])
  func `takes the branch of an if or a switch`(number: Int, text: String) {
    #expect(Branching(number: number).resolved.instructions.segments.joinedText == text)
  }

  @Test func `has another identity in another branch`() {
    let identities = [0, 1, 5, 6].map { Branching(number: $0).resolved.identity }
    for (index, identity) in identities.enumerated() {
      #expect(identities.firstIndex(of: identity) == index)
    }
    #expect(Branching(number: 5).resolved.identity == Branching(number: 7).resolved.identity)
  }

  @Test func `may hide its type`() {
    let one = LanguageModelSession.AnyDynamicProfile(Branching(number: 1).temperature(0.5))
    let other = LanguageModelSession.AnyDynamicProfile(
      erasing: LanguageModelSession.Profile { Instructions("Other.") }
    )
    #expect(one.resolved.instructions.segments.joinedText == "one")
    #expect(one.resolved.options.temperature == 0.5)
    #expect(other.resolved.instructions.segments.joinedText == "Other.")
    #expect(one.resolved.identity != other.resolved.identity)
  }

  @Test func `may hide which of two types it is, and still is another then`() {
    let plain = LanguageModelSession.Profile { Instructions("Same.") }
    let one = LanguageModelSession.AnyDynamicProfile(plain.temperature(1))
    let other = LanguageModelSession.AnyDynamicProfile(plain)
    #expect(one.resolved.identity != other.resolved.identity)
  }

  private struct Branching: LanguageModelSession.DynamicProfile {
    let number: Int

    var body: some DynamicProfile {
      switch number {
      case 0: Profile { Instructions("zero") }
      case 1: Profile { Instructions("one") }
      default:
        if number % 2 == 0 {
          Profile { Instructions("many and even") }
        } else {
          Profile { Instructions("many") }
        }
      }
    }
  }
}
