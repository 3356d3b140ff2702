/// The bounds of a number that need not be whole.
///
/// llama.cpp makes grammars of JSON Schema, and knows bounds of whole numbers only. A schema whose other
/// numbers are bounded is therefore also rendered with a mark in the place of each, for which the grammar
/// of those numbers can be put.
package struct NumberBounds: Sendable, Equatable {
  package let minimum: Double?
  package let maximum: Double?

  package init(minimum: Double?, maximum: Double?) {
    self.minimum = minimum
    self.maximum = maximum
  }

  /// The bounds among others; `nil` when there are none.
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

  /// Whether no number is within them.
  var isEmpty: Bool {
    guard let minimum, let maximum else { return false }
    return minimum > maximum
  }

  private static let opening = "<number "

  /// What stands for such a number in a marked schema.
  var mark: String {
    let bounds = [minimum, maximum].map { $0.map { "\($0)" } ?? "any" }
    return "\(Self.opening)\(bounds.joined(separator: " "))>"
  }

  /// Reads a mark.
  package init?(mark: some StringProtocol) {
    guard mark.hasPrefix(Self.opening), mark.hasSuffix(">") else { return nil }
    let bounds = mark.dropFirst(Self.opening.count).dropLast().split(separator: " ")
    guard bounds.count == 2 else { return nil }
    self.init(minimum: Double(bounds[0]), maximum: Double(bounds[1]))
  }
}
