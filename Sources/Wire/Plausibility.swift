import Transcripts

// Anybody's code runs in a worker, so what a worker says need not be true; and what a worker hears
// may come from a broken coordinator or through a broken link. Impossible numbers are refused here,
// at both ends, before anybody calculates with them.

extension FromWorker {
  package var implausibility: String? {
    switch self {
    case .entry(_, _, let figures), .unawaitedEntry(_, _, let figures): figures?.implausibility
    case .state(_, let change):
      change.figures?.implausibility ?? change.context?.implausibility
        ?? change.history?.implausibility
    case .text(_, let change): Plausible.count(change.keptBytes, of: "kept bytes")
    case .serverWait(_, let wait):
      Plausible.seconds(wait.seconds, wait.waited) ?? Plausible.name(wait.reason)
        ?? Plausible.name(wait.server)
    case .fitted(_, let fit): Plausible.counts((fit.tokens, "tokens"), (fit.window, "window"))
    case .ready(let readiness):
      readiness.model.flatMap { model in
        Plausible.count(model.contextSize ?? 0, of: "window") ?? Plausible.name(model.name)
      }
    case .exhausted(let exhaustion):
      Plausible.memory(exhaustion.bound)
        ?? Plausible.names(exhaustion.tools, atMost: Exhaustion.maximumTools)
    case .greeting, .rehearsed, .unable, .admission, .takesAdmission, .admissionOfSummary,
      .earlyOutput, .settle, .approval, .passBaton, .phone, .wantsCores, .adopted, .returnsCores,
      .ended, .forked, .pong,
      .farewell:
      nil
    }
  }
}

extension ToWorker {
  package var implausibility: String? {
    switch self {
    case .hello(let hello):
      Plausible.counts((hello.contextSize ?? 0, "window"))
        ?? Plausible.seconds(hello.silenceLimit ?? 0)
        ?? Plausible.memory(hello.memory ?? 0)
    case .history(let kept, _): Plausible.count(kept, of: "kept entries")
    case .turn(let order), .fit(let order):
      Plausible.counts(
        (order.kept, "kept entries"),
        (order.widestWindow ?? 0, "window"),
        (order.secondsLeft ?? 0, "seconds")
      )
        ?? order.admission?.implausibility
    case .admitted(_, let answer): answer.implausibility
    case .recorded(_, _, let calls, let repeated, let next):
      Plausible.count(calls, of: "calls") ?? next?.implausibility
        ?? repeated.lazy.compactMap { Plausible.count($0, of: "place of a call") }.first
    case .friendAnswered(_, _, let answer):
      Plausible.counts(
        (answer.input.totalTokenCount, "tokens in"),
        (answer.input.cachedTokenCount, "tokens cached"),
        (answer.output.totalTokenCount, "tokens out"),
        (answer.output.reasoningTokenCount, "tokens of reasoning")
      )
    case .cores(let grant):
      (1...Plausible.maximumCores).contains(grant.count) ? nil : "cores: \(grant.count)"
    case .properties, .settled, .stateKept, .approvalAnswered, .batonPassed, .yieldCores, .cancel,
      .fork, .ping, .shutdown:
      nil
    }
  }
}

extension Plausible {
  /// More than any machine has.
  fileprivate static let maximumCores = 1 << 16
  /// More bytes than any machine has.
  fileprivate static let maximumMemory = 1 << 52

  /// The most bytes of a name that listings of processes show; a file's has 255 at most.
  fileprivate static let maximumName = 1024

  fileprivate static func name(_ name: String) -> String? {
    name.utf8.count <= maximumName ? nil : "bytes of a name: \(name.utf8.count)"
  }

  fileprivate static func names(_ names: [String], atMost most: Int) -> String? {
    names.count <= most
      ? names.lazy.compactMap(name).first : "names of tools: \(names.count)"
  }

  fileprivate static func memory(_ bytes: Int) -> String? {
    (0...maximumMemory).contains(bytes) ? nil : "bytes of memory: \(bytes)"
  }
}

extension AdmissionAnswer {
  fileprivate var implausibility: String? {
    switch self {
    case .admitted(.go(let tokens)), .admitted(.lastAnswer(_, let tokens)):
      Plausible.count(tokens ?? 0, of: "tokens")
    case .refused: nil
    }
  }
}

extension RequestFigures {
  fileprivate var implausibility: String? {
    implausibleFigure
      ?? Plausible.counts(
        (cacheBreak?.token ?? 0, "place of a token"),
        (cacheBreak?.lost ?? 0, "lost tokens")
      )
  }
}
