/// How far a call had come when its process ended.
package enum CallProgress: Sendable, Equatable, Codable {
  /// A cap left nothing for it.
  case refused
  /// It had returned the same result too often.
  case repeated
  /// Something had to happen before its tool could run, and did not.
  case notRun
  /// Its tool may have run.
  case perhapsRun
  /// It had returned this result while earlier calls still ran.
  case returned([Transcript.Segment])
}

/// The way in which a request may be made.
package enum RoundAdmission: Sendable, Equatable, Codable {
  /// As the profile says, with at most the given number of tokens.
  case go(maximumTokens: Int?)
  /// For the last time, because a cap was reached; without tools, so that it ends in an answer.
  case lastAnswer(cap: String, maximumTokens: Int?)

  package var maximumTokens: Int? {
    switch self {
    case .go(let maximumTokens), .lastAnswer(_, let maximumTokens): maximumTokens
    }
  }

  /// Returns the cap that an answer of the given size reaches, or `nil` if it reaches none.
  package func cap(met tokens: Int) -> String? {
    switch self {
    case .lastAnswer(let cap, _): cap
    case .go(let maximumTokens):
      // As the counting side sees it: the tokens are used up, whether or not the answer is
      // complete.
      maximumTokens.flatMap { tokens >= $0 ? "tokens" : nil }
    }
  }
}
