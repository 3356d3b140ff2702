import AgentKit
import Wire

/// Measures one model request from its admission.
struct RequestClock {
  private let start = ContinuousClock.now
  private var firstToken: ContinuousClock.Instant?

  mutating func noteFirstToken() {
    if firstToken == nil { firstToken = .now }
  }

  func usage(_ reported: LanguageModelSession.Usage) -> RequestUsage {
    let end = ContinuousClock.now
    var usage = RequestUsage(untimed: reported)
    // The model's own measurement is closer to the token than what was observed here.
    if case .number(let seconds) = reported.metadata["secondsToFirstToken"]?.kind, seconds >= 0 {
      usage.secondsToFirstToken = seconds
    } else {
      usage.secondsToFirstToken = ((firstToken ?? end) - start) / .seconds(1)
    }
    // Less is no wait but the way to the engine's thread.
    if case .number(let seconds) = reported.metadata["secondsWaited"]?.kind, seconds >= 0.005 {
      usage.secondsWaited = seconds
    }
    usage.seconds = (end - start) / .seconds(1)
    usage.cacheBreak = reported.cacheBreak
    return usage
  }
}

extension RequestUsage {
  /// Creates the usage of a request whose duration was not measured.
  init(untimed usage: LanguageModelSession.Usage) {
    self.init()
    // A model that miscounts is no reason to lose its answer.
    tokensIn = ValueLimits.clamp(usage.input.totalTokenCount)
    tokensCached = ValueLimits.clamp(usage.input.cachedTokenCount)
    tokensOut = ValueLimits.clamp(usage.output.totalTokenCount)
    let reasoning = ValueLimits.clamp(usage.output.reasoningTokenCount)
    if reasoning > 0 { reasoningTokens = min(reasoning, tokensOut) }
  }
}
