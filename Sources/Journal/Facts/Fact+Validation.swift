import Foundation
import GRDB
import Transcripts

/// The error for a fact that cannot be read.
struct UnreadableFact: Error, CustomStringConvertible {
  /// The place of the fact in the log.
  let id: Int64
  let problem: String

  init(_ id: Int64, _ error: any Error) {
    self.id = id
    problem = Self.words(for: error)
  }

  var description: String { "fact \(id): \(problem)" }

  /// Describes an error as part of a sentence.
  static func words(for error: any Error) -> String {
    let text =
      switch error {
      case let error as RowDecodingError: error.description
      case let error as DecodingError: error.context.debugDescription
      default: "\(error)"
      }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}

extension DecodingError {
  fileprivate var context: Context {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .keyNotFound(_, let context), .dataCorrupted(let context):
      context
    @unknown default: Context(codingPath: [], debugDescription: "it has an unexpected form")
    }
  }
}

extension Fact.Event {
  /// Refuses numbers that nothing can have.
  func validate() throws(InvalidValue) {
    switch self {
    case .recorded(_, let usage): try usage?.validate()
    case .changedState(let change):
      try change.usage?.validate()
      try change.context?.validate()
      try change.history?.validate()
    case .friendEnded(let end): try end.validate()
    case .abandonedRequest(let tokens): try ValueLimits.validate(counts: (tokens, "tokens"))
    case .died(let death):
      try ValueLimits.validate(
        sums: (death.tokensOut, "tokens out"),
        (death.tokensLost ?? 0, "tokens lost")
      )
    case .resumed(let spent): try ValueLimits.validate(seconds: spent)
    case .launched(let start): try InvalidValue.validate(date: start.started.timeIntervalSince1970)
    case .prompted(_, _, let options, _): try options?.validate()
    case .returnedEarly, .passedBaton, .phoned, .askedApproval, .answeredApproval,
      .deliveredApproval, .calledServer, .askedClient, .answeredClient, .leftOpen, .imported,
      .ended, .began, .importedEntry, .exited:
      break
    }
  }
}

extension FriendEnd {
  /// Refuses numbers, which are sums, that nothing can have.
  fileprivate func validate() throws(InvalidValue) {
    try ValueLimits.validate(
      sums: (usage.tokensIn, "tokens in"),
      (usage.tokensCached, "tokens cached"),
      (usage.tokensOut, "tokens out"),
      (usage.reasoningTokens ?? 0, "tokens of reasoning"),
      (usage.contextSize ?? 0, "window")
    )
    try answer?.validate()
    try ValueLimits.validate(seconds: usage.seconds, usage.secondsToFirstToken)
  }
}

// A worker may claim more than can be summed up, and its lies must not keep a fact from being written.

extension Int {
  /// The nearest sum that a fact can hold.
  var boundedSum: Int { Swift.min(Swift.max(0, self), ValueLimits.sum) }
}

extension RequestUsage {
  var bounded: RequestUsage {
    var usage = self
    usage.tokensIn = tokensIn.boundedSum
    usage.tokensCached = tokensCached.boundedSum
    usage.tokensOut = tokensOut.boundedSum
    usage.reasoningTokens = reasoningTokens?.boundedSum
    usage.seconds = min(seconds, ValueLimits.seconds)
    return usage
  }
}

extension FriendAnswer {
  var bounded: FriendAnswer {
    var answer = self
    answer.input.totalTokenCount = input.totalTokenCount.boundedSum
    answer.input.cachedTokenCount = input.cachedTokenCount.boundedSum
    answer.output.totalTokenCount = output.totalTokenCount.boundedSum
    answer.output.reasoningTokenCount = output.reasoningTokenCount.boundedSum
    return answer
  }
}

extension InvalidValue {
  /// Throws if a date is out of range.
  ///
  /// - Parameter date: In seconds since 1970.
  static func validate(date: Double) throws(InvalidValue) {
    // A few thousand years in both directions: a clock may be wrong.
    guard date.magnitude <= 1e11 else { throw InvalidValue("date: \(date)") }
  }
}
