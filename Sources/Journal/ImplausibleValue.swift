/// A value that stands in the journal as it should, and that nothing can be.
///
/// A journal, or a session that was taken from a file, may be somebody else's. Whoever counts with
/// what is read from it need not ask.
struct ImplausibleValue: Error, Equatable, CustomStringConvertible {
  let description: String

  /// - Parameter problem: What is wrong; `nil` where nothing is.
  static func refuse(_ problem: String?) throws(ImplausibleValue) {
    if let problem { throw ImplausibleValue(description: problem) }
  }

  /// - Parameter date: In seconds since 1970.
  static func refuse(date: Double) throws(ImplausibleValue) {
    // Some thousands of years, in both directions: a clock may be wrong.
    guard date.magnitude <= 1e11 else { throw ImplausibleValue(description: "date: \(date)") }
  }
}
