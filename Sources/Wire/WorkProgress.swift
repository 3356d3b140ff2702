/// How far a process has come with work that takes long.
package struct WorkProgress: Codable, Sendable, Equatable {
  package enum Stage: String, Codable, Sendable {
    /// A model is loaded; counted in bytes.
    case loading
    /// A prompt is computed; counted in tokens.
    case prefill
  }

  package var stage: Stage
  package var done: Int
  package var total: Int
  /// How much was done when the work began.
  package var first: Int
  /// The seconds since it began.
  package var seconds: Double

  package init(stage: Stage, done: Int, total: Int, first: Int = 0, seconds: Double) {
    self.stage = stage
    (self.done, self.total, self.first, self.seconds) = (done, total, first, seconds)
  }

  /// How much is done in a second; `nil` as long as nothing is.
  package var rate: Double? { done > first && seconds > 0 ? Double(done - first) / seconds : nil }

  /// The seconds that the rest takes at this rate.
  package var secondsLeft: Double? { rate.map { Double(max(0, total - done)) / $0 } }
}
