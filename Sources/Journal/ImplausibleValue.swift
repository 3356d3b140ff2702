/// The error for a well-formed value in the journal that nothing can have.
///
/// A journal, or a session imported from a file, may come from somebody else. Refusing such values
/// on reading lets later arithmetic trust them.
struct ImplausibleValue: Error, Equatable, CustomStringConvertible {
  let description: String

  /// Throws if there is a problem.
  /// - Parameter problem: What is wrong; `nil` if nothing is.
  static func refuse(_ problem: String?) throws(ImplausibleValue) {
    if let problem { throw ImplausibleValue(description: problem) }
  }

  /// Throws if a date is out of range.
  /// - Parameter date: In seconds since 1970.
  static func refuse(date: Double) throws(ImplausibleValue) {
    // A few thousand years in both directions: a clock may be wrong.
    guard date.magnitude <= 1e11 else { throw ImplausibleValue(description: "date: \(date)") }
  }
}
