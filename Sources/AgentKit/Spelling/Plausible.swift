// Numbers that come from elsewhere are added up, cut by and written down. Those that nothing could be
// are refused where they come in: in what a worker says, and in a journal, which may be somebody
// else's.

/// The bounds of what is counted.
package enum Plausible {
  /// More than any request has tokens or any text bytes, and so few that they can be added up for
  /// ever.
  package static let maximumCount = 1 << 40
  /// More than any number of such counts comes to, unless they are lies.
  package static let maximumSum = 1 << 50
  /// Longer than any machine runs.
  package static let maximumSeconds = 1e10

  /// The nearest number that is plausible.
  package static func count(_ value: Int) -> Int { min(max(0, value), maximumCount) }

  /// What is wrong with a count; `nil` where it is plausible.
  /// - Parameter name: What is counted.
  package static func count(_ value: Int, of name: String) -> String? {
    (0...maximumCount).contains(value) ? nil : "\(name): \(value)"
  }

  /// What is wrong with the first of several counts that is not plausible.
  package static func counts(_ values: (Int, String)...) -> String? {
    values.lazy.compactMap { count($0.0, of: $0.1) }.first
  }

  /// What is wrong with the first of several sums of counts that is not plausible.
  package static func sums(_ values: (Int, String)...) -> String? {
    values.first { !(0...maximumSum).contains($0.0) }.map { "\($0.1): \($0.0)" }
  }

  /// What is wrong with the first of several lengths of time that is not plausible.
  package static func seconds(_ values: Double...) -> String? {
    values.first { !(0...maximumSeconds).contains($0) }.map { "seconds: \($0)" }
  }
}

extension SpelledRequest {
  /// What is wrong with the numbers of a request; `nil` where all are plausible.
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
  /// What is wrong with its numbers; `nil` where all are plausible.
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
  /// What is wrong with its numbers; `nil` where all are plausible.
  ///
  /// Every entry has one place, so a history that was edited keeps no more of them than it had; one
  /// that kept all of them a million times would be larger than anything.
  package var implausibility: String? {
    if let wrong = Plausible.count(count, of: "entries") { return wrong }
    var kept = 0
    for case .kept(let start, let length) in pieces {
      if let wrong = Plausible.counts((start, "place"), (length, "entries")) { return wrong }
      kept += length
      // Looked at each time, so that the sum is never more than two of them.
      guard kept <= count else { return "\(kept) entries kept of \(count)" }
    }
    return nil
  }
}

extension Double {
  /// So many seconds in whole milliseconds; as many as there can be where they are more.
  package var wholeMilliseconds: Int { Int(exactly: (self * 1000).rounded()) ?? .max }
}
