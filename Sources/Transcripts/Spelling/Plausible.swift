// Numbers from other processes are added, used as limits and stored. Impossible ones are refused on
// arrival: in messages from a worker, and in a journal, which may come from someone else.

/// The limits of plausible counts.
package enum Plausible {
  /// The maximum count.
  ///
  /// It is more than the tokens of any request or the bytes of any text, yet small enough that
  /// adding counts never overflows.
  package static let maximumCount = 1 << 40
  /// The maximum sum of counts, which genuine counts never reach.
  package static let maximumSum = 1 << 50
  /// The maximum duration in seconds, longer than any machine runs.
  package static let maximumSeconds = 1e10

  /// Returns the nearest plausible count.
  package static func count(_ value: Int) -> Int { min(max(0, value), maximumCount) }

  /// Returns what is wrong with a count, or `nil` if it is plausible.
  ///
  /// - Parameters:
  ///   - value: The count.
  ///   - name: The name of what is counted.
  package static func count(_ value: Int, of name: String) -> String? {
    (0...maximumCount).contains(value) ? nil : "\(name): \(value)"
  }

  /// Returns what is wrong with the first implausible count, or `nil` if all are plausible.
  package static func counts(_ values: (Int, String)...) -> String? {
    values.lazy.compactMap { count($0.0, of: $0.1) }.first
  }

  /// Returns what is wrong with the first implausible sum of counts, or `nil` if all are plausible.
  package static func sums(_ values: (Int, String)...) -> String? {
    values.first { !(0...maximumSum).contains($0.0) }.map { "\($0.1): \($0.0)" }
  }

  /// Returns what is wrong with the first implausible duration, or `nil` if all are plausible.
  package static func seconds(_ values: Double...) -> String? {
    values.first { !(0...maximumSeconds).contains($0) }.map { "seconds: \($0)" }
  }
}

extension SpelledRequest {
  /// What is wrong with the numbers of a request, or `nil` if all are plausible.
  package var implausibleFigure: String? {
    Plausible.counts(
      (tokensIn, "tokens in"),
      (tokensCached, "tokens cached"),
      (tokensOut, "tokens out"),
      (contextSize ?? 0, "window")
    ) ?? Plausible.seconds(seconds, secondsToFirstToken)
  }
}

extension ContextReport {
  /// What is wrong with the numbers, or `nil` if all are plausible.
  package var implausibility: String? {
    Plausible.counts(
      (exchanges, "exchanges"),
      (cutOutputs, "cut outputs"),
      (tokensBefore, "tokens before"),
      (tokensAfter, "tokens after"),
      (window, "window")
    )
  }
}

extension HistoryEdit {
  /// What is wrong with the numbers, or `nil` if all are plausible.
  ///
  /// Every entry has one position, so an edit cannot keep more entries than the history had. One
  /// that kept all of them a million times would be larger than anything.
  package var implausibility: String? {
    if let wrong = Plausible.count(count, of: "entries") { return wrong }
    var kept = 0
    for case .kept(let start, let length) in pieces {
      if let wrong = Plausible.counts((start, "place"), (length, "entries")) { return wrong }
      kept += length
      // Checked in each iteration, so that the sum never exceeds two counts.
      guard kept <= count else { return "\(kept) entries kept of \(count)" }
    }
    return nil
  }
}

extension Double {
  /// The number of seconds in whole milliseconds, capped at the maximum integer.
  package var wholeMilliseconds: Int { Int(exactly: (self * 1000).rounded()) ?? .max }
}
