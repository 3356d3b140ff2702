import Foundation

/// One comparison.
struct Row {
  static let header = line("what", "measured", "against", "ratio")

  let name: String
  let measured: Sample
  let against: Sample

  var line: String {
    Self.line(
      name,
      "\(measured)",
      "\(against)",
      String(format: "%.2f", measured.median / against.median)
    )
  }

  private static func line(_ name: String, _ a: String, _ b: String, _ ratio: String) -> String {
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(1, width - text.count))
    }
    return padded(name, 44) + padded(a, 44) + padded(b, 44) + ratio
  }
}

/// Times of one thing, in milliseconds.
struct Sample: CustomStringConvertible {
  let name: String
  private(set) var times: [Double] = []

  init(_ name: String) {
    self.name = name
  }

  mutating func add(_ duration: Duration, dividedBy count: Int = 1) {
    let (seconds, attoseconds) = duration.components
    times.append((Double(seconds) * 1e3 + Double(attoseconds) / 1e15) / Double(count))
  }

  var median: Double {
    let sorted = times.sorted()
    return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
  }

  var description: String {
    let low = times.min() ?? .nan
    let high = times.max() ?? .nan
    return String(format: "%@ %.3f ms (%.3f to %.3f)", name, median, low, high)
  }
}
