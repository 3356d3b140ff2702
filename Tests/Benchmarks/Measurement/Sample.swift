import Foundation

/// Several measurements of one thing.
struct Sample: Codable, Sendable {
  let name: String
  let unit: String
  private(set) var values: [Double]

  init(_ name: String, unit: String = "ms", _ values: [Double] = []) {
    self.name = name
    self.unit = unit
    self.values = values
  }

  mutating func add(_ value: Double) {
    values.append(value)
  }

  /// Adds a time in milliseconds.
  mutating func add(_ duration: Duration, dividedBy count: Int = 1) {
    values.append(duration.milliseconds / Double(count))
  }

  /// The middle value, or the mean of the two middle ones.
  var median: Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return .nan }
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}

extension Sample: CustomStringConvertible {
  /// The median and the range of the values.
  var description: String {
    guard values.count > 1, let low = values.min(), let high = values.max() else {
      return "\(Self.short(median)) \(unit)"
    }
    return "\(Self.short(median)) \(unit) (\(Self.short(low)) to \(Self.short(high)))"
  }

  /// Formats a number with a sensible number of digits.
  static func short(_ value: Double) -> String {
    switch abs(value) {
    case 100...: String(format: "%.0f", value)
    case 10..<100: String(format: "%.1f", value)
    case 1..<10: String(format: "%.2f", value)
    default: String(format: "%.3f", value)
    }
  }
}

extension Duration {
  var milliseconds: Double {
    Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15
  }
}
