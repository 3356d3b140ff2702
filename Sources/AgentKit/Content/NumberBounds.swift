/// The bounds of a number that need not be an integer.
///
/// llama.cpp makes grammars from JSON Schema, but supports bounds only on integers. A schema that
/// bounds other numbers is therefore also rendered with a mark in place of each, which can be
/// replaced by a grammar for those numbers.
package struct NumberBounds: Sendable, Equatable {
  package let minimum: Double?
  package let maximum: Double?

  package init(minimum: Double?, maximum: Double?) {
    self.minimum = minimum
    self.maximum = maximum
  }

  /// Extracts the bounds from a list of constraints; `nil` if there are none.
  init?(_ constraints: [GenerationConstraint]) {
    var minima: [Double] = []
    var maxima: [Double] = []
    for constraint in constraints {
      switch constraint {
      case .minimum(let value): minima.append(value)
      case .maximum(let value): maxima.append(value)
      default: break
      }
    }
    guard !minima.isEmpty || !maxima.isEmpty else { return nil }
    self.init(minimum: minima.max(), maximum: maxima.min())
  }

  /// Whether no number is within the bounds.
  var isEmpty: Bool {
    guard let minimum, let maximum else { return false }
    return minimum > maximum
  }

  private static let opening = "<number "

  /// The mark that stands for such a number in a schema.
  var mark: String {
    let bounds = [minimum, maximum].map { $0.map { "\($0)" } ?? "any" }
    return "\(Self.opening)\(bounds.joined(separator: " "))>"
  }

  /// Parses a mark.
  package init?(mark: some StringProtocol) {
    guard mark.hasPrefix(Self.opening), mark.hasSuffix(">") else { return nil }
    let bounds = mark.dropFirst(Self.opening.count).dropLast().split(separator: " ")
    guard bounds.count == 2 else { return nil }
    self.init(minimum: Double(bounds[0]), maximum: Double(bounds[1]))
  }
}
