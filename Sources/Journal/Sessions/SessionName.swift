import Foundation

/// The rules for the name of a session, which is also that of its conversation.
package enum SessionName {
  /// The maximum number of Unicode scalars; a single character may hold any number of them.
  package static let maximum = 200

  /// What is wrong with a given name.
  package enum Fault: Error, Equatable, Sendable {
    case empty
    case control(Unicode.Scalar)
    case tooLong(Int)
  }

  /// Returns the name as it is used and journaled.
  ///
  /// Strings that Swift considers equal then also agree byte for byte, which is how the journal
  /// compares them.
  package static func checked(_ given: String) throws(Fault) -> String {
    // The journal would take what precedes a NUL for the whole name.
    let control = given.unicodeScalars.first { $0.properties.generalCategory == .control }
    if let control { throw .control(control) }
    let name = normalized(given)
    guard !name.isEmpty else { throw .empty }
    let length = name.unicodeScalars.count
    guard length <= maximum else { throw .tooLong(length) }
    return name
  }

  /// Returns a name in the one spelling that is journaled.
  package static func normalized(_ given: String) -> String {
    given.precomposedStringWithCanonicalMapping
  }
}

extension SessionName.Fault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .empty: "\(problem) Use 1 to \(SessionName.maximum) characters."
    case .control: "\(problem) Remove it."
    case .tooLong: "\(problem) Use a shorter one."
    }
  }

  /// What is wrong, without advice on what to do about it.
  var problem: String {
    switch self {
    case .empty: "The session name is empty."
    case .control(let scalar):
      "The session name contains the control character U+\(Self.digits(of: scalar))."
    case .tooLong(let length):
      "The session name is \(length) characters long; the maximum is \(SessionName.maximum)."
    }
  }

  private static func digits(of scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
