/// The bounds of a number.
///
/// llama.cpp makes grammars from JSON Schema, but supports bounds only on integers, and then leaves
/// out digits of large ones. A schema that bounds numbers is therefore also rendered with a mark in
/// place of each, which can be replaced by a grammar for those numbers.
package struct NumberBounds: Sendable, Equatable {
  /// Whether the number must be an integer.
  package let isWhole: Bool
  package let minimum: JSONNumber?
  package let maximum: JSONNumber?

  package init(isWhole: Bool, minimum: JSONNumber?, maximum: JSONNumber?) {
    self.isWhole = isWhole
    self.minimum = minimum
    self.maximum = maximum
  }

  /// Extracts the bounds from a list of constraints; `nil` if there are none.
  init?(_ constraints: [GenerationConstraint], isWhole: Bool) {
    var minima: [JSONNumber] = []
    var maxima: [JSONNumber] = []
    for constraint in constraints {
      switch constraint {
      case .minimum(let value): minima.append(value)
      case .maximum(let value): maxima.append(value)
      default: break
      }
    }
    guard !minima.isEmpty || !maxima.isEmpty else { return nil }
    self.init(isWhole: isWhole, minimum: minima.max(), maximum: maxima.min())
  }

  /// Whether no number is within the bounds.
  var isEmpty: Bool {
    guard let minimum, let maximum else { return false }
    return minimum > maximum
  }

  private static let kinds = (whole: "integer", any: "number")
  private static let unbounded = "any"

  /// The mark that stands for such a number in a schema.
  var mark: String {
    let bounds = [minimum, maximum].map { $0?.text ?? Self.unbounded }
    let kind = isWhole ? Self.kinds.whole : Self.kinds.any
    return "<\(kind) \(bounds.joined(separator: " "))>"
  }

  /// Parses a mark.
  package init?(mark: some StringProtocol) {
    guard mark.hasPrefix("<"), mark.hasSuffix(">") else { return nil }
    let parts = mark.dropFirst().dropLast().split(separator: " ")
    guard parts.count == 3, [Self.kinds.whole, Self.kinds.any].contains(String(parts[0])) else {
      return nil
    }
    let bounds = parts.dropFirst().map { part in
      part == Self.unbounded ? nil : JSONNumber(written: part)
    }
    self.init(isWhole: parts[0] == Self.kinds.whole, minimum: bounds[0], maximum: bounds[1])
  }
}
