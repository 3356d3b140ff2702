/// How far a call has come that takes long, in its server's own measure.
package struct ToolProgress: Codable, Sendable, Equatable {
  /// What is done; it grows with each report.
  package var done: Double
  /// What there is to do in all; `nil` if that is not known.
  package var total: Double?
  /// What is being done, in the server's words.
  package var message: String?

  package init(done: Double, total: Double? = nil, message: String? = nil) {
    (self.done, self.total, self.message) = (done, total, message)
  }
}

extension ToolProgress: CustomStringConvertible {
  /// The progress in a few words, such as `3 of 12: reading the log`.
  package var description: String {
    let count = total.map { "\(Self.text(done)) of \(Self.text($0))" } ?? Self.text(done)
    return message.map { "\(count): \($0)" } ?? count
  }

  private static func text(_ number: Double) -> String {
    Int(exactly: number).map { "\($0)" } ?? "\(number)"
  }
}
