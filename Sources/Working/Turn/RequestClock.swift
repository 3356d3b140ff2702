import AgentKit
import Wire

/// Measures one model request from its admission.
struct RequestClock {
  private let start = ContinuousClock.now
  private var firstToken: ContinuousClock.Instant?

  mutating func noteFirstToken() {
    if firstToken == nil { firstToken = .now }
  }

  func figures(_ usage: LanguageModelSession.Usage) -> RequestFigures {
    let end = ContinuousClock.now
    var figures = RequestFigures(untimed: usage)
    // The model's own measurement is closer to the token than what was observed here.
    if case .number(let seconds) = usage.metadata["secondsToFirstToken"]?.kind, seconds >= 0 {
      figures.secondsToFirstToken = seconds
    } else {
      figures.secondsToFirstToken = ((firstToken ?? end) - start) / .seconds(1)
    }
    figures.seconds = (end - start) / .seconds(1)
    figures.cacheBreak = usage.metadata["cacheBreak"].flatMap(CacheBreak.init)
    return figures
  }
}

extension RequestFigures {
  /// Creates the figures of usage whose duration nobody measured.
  init(untimed usage: LanguageModelSession.Usage) {
    self.init()
    // A model that miscounts is no reason to lose its answer.
    tokensIn = Plausible.count(usage.input.totalTokenCount)
    tokensCached = Plausible.count(usage.input.cachedTokenCount)
    tokensOut = Plausible.count(usage.output.totalTokenCount)
  }
}

extension CacheBreak {
  fileprivate init?(_ content: GeneratedContent) {
    guard let token = try? content.value(Int.self, forProperty: "token"),
      let lost = try? content.value(Int.self, forProperty: "lost"),
      let cause = try? content.value(String.self, forProperty: "cause"),
      let was = try? content.value(String.self, forProperty: "was"),
      let now = try? content.value(String.self, forProperty: "now")
    else { return nil }
    self.init(token: token, lost: lost, cause: cause, was: was, now: now)
  }
}
