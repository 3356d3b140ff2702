/// Which calls of a recorded round may be made.
package struct AdmittedCalls: Codable, Sendable, Equatable {
  /// How many may be made, counted from the first.
  package var count: Int
  /// The positions of those among them that have returned the same result too often to be repeated.
  package var repeated: [Int]

  /// Creates a decision; by default, one about entries without calls.
  package init(count: Int = 0, repeated: [Int] = []) {
    self.count = count
    self.repeated = repeated
  }

  /// The decision to make all calls, however many there are.
  package static let all = AdmittedCalls(count: .max)
}
