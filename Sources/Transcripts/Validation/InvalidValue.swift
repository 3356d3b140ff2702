/// The error for a well-formed number that nothing can have.
///
/// Numbers from other processes and from a journal are added, used as limits and stored. They are
/// validated on arrival, so that later arithmetic can trust them.
package struct InvalidValue: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// The limits of counts and durations.
package enum ValueLimits {
  /// The maximum count.
  ///
  /// It is more than the tokens of any request or the bytes of any text, yet small enough that
  /// adding counts never overflows.
  package static let count = 1 << 40
  /// The maximum sum of counts, which genuine counts never reach.
  package static let sum = 1 << 50
  /// The maximum duration in seconds, longer than any machine runs.
  package static let seconds = 1e10

  /// Returns the nearest valid count.
  package static func clamp(_ value: Int) -> Int { min(max(0, value), count) }

  /// Throws an error that names the first of several counts that is out of range.
  package static func validate(counts values: (Int, String)...) throws(InvalidValue) {
    try validate(values, upTo: count)
  }

  /// Throws an error that names the first of several sums of counts that is out of range.
  package static func validate(sums values: (Int, String)...) throws(InvalidValue) {
    try validate(values, upTo: sum)
  }

  /// Throws an error that names the first of several durations that is out of range.
  package static func validate(seconds values: Double...) throws(InvalidValue) {
    for value in values where !(0...seconds).contains(value) {
      throw InvalidValue("seconds: \(value)")
    }
  }

  private static func validate(
    _ values: [(Int, String)],
    upTo maximum: Int
  ) throws(InvalidValue) {
    for (value, name) in values where !(0...maximum).contains(value) {
      throw InvalidValue("\(name): \(value)")
    }
  }
}

extension RequestUsage {
  /// Throws an error if a number is out of range.
  package func validate() throws(InvalidValue) {
    try ValueLimits.validate(
      counts: (tokensIn, "tokens in"),
      (tokensCached, "tokens cached"),
      (tokensOut, "tokens out"),
      (reasoningTokens ?? 0, "tokens of reasoning"),
      (contextSize ?? 0, "window"),
      (cacheBreak?.token ?? 0, "place of a token"),
      (cacheBreak?.lost ?? 0, "lost tokens")
    )
    try ValueLimits.validate(seconds: seconds, secondsToFirstToken, secondsWaited ?? 0)
  }
}

extension FriendAnswer {
  /// Throws an error if a number, which is a sum, is out of range.
  package func validate() throws(InvalidValue) {
    try ValueLimits.validate(
      sums: (input.totalTokenCount, "tokens in"),
      (input.cachedTokenCount, "tokens cached"),
      (output.totalTokenCount, "tokens out"),
      (output.reasoningTokenCount, "tokens of reasoning")
    )
  }
}

extension ContextReport {
  /// Throws an error if a number is out of range.
  package func validate() throws(InvalidValue) {
    try ValueLimits.validate(
      counts: (exchanges, "exchanges"),
      (cutOutputs, "cut outputs"),
      (tokensBefore, "tokens before"),
      (tokensAfter, "tokens after"),
      (window, "window")
    )
  }
}

extension HistoryEdit {
  /// Throws an error if a number is out of range, or if the edit keeps more entries than there were.
  ///
  /// Every entry has one position, so an edit cannot keep more entries than the history had. One
  /// that kept all of them a million times would be larger than anything.
  package func validate() throws(InvalidValue) {
    try ValueLimits.validate(counts: (count, "entries"))
    var kept = 0
    for case .kept(let start, let length) in pieces {
      try ValueLimits.validate(counts: (start, "place"), (length, "entries"))
      kept += length
      // Checked in each iteration, so that the sum never exceeds two counts.
      guard kept <= count else { throw InvalidValue("\(kept) entries kept of \(count)") }
    }
  }
}

extension Double {
  /// The number of seconds in whole milliseconds, capped at the maximum integer.
  package var wholeMilliseconds: Int { Int(exactly: (self * 1000).rounded()) ?? .max }
}
