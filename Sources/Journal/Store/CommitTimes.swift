/// How long commits took.
package struct CommitTimes: Sendable, Equatable {
  /// The upper bounds of the buckets, in seconds; what takes longer falls into one more.
  package static let bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1]

  /// How many commits fell into each bucket.
  package private(set) var counts = Array(repeating: 0, count: bounds.count + 1)
  package private(set) var seconds = 0.0

  mutating func add(_ time: Duration) {
    let seconds = time / .seconds(1)
    counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    self.seconds += seconds
  }
}
