/// Where a prompt diverged from what a model had cached, so that the rest was recomputed.
package struct CacheBreak: Codable, Sendable, Equatable {
  /// The position of the first token that differs.
  package var token: Int
  /// The number of cached tokens from there on, which were recomputed or lost.
  package var lost: Int
  package var cause: String
  /// The text around that position, before and now.
  package var was: String
  package var now: String

  package init(token: Int, lost: Int, cause: String, was: String, now: String) {
    self.token = token
    self.lost = lost
    self.cause = cause
    self.was = was
    self.now = now
  }
}

extension CacheBreak: CustomStringConvertible {
  package var description: String {
    "the cache broke at token \(token) (\(lost) lost): \(cause):"
      + " was \(was.debugDescription), is \(now.debugDescription)"
  }
}
