/// One comparison, measured in one run.
struct Row: Codable, Sendable {
  /// The bound on the ratio.
  enum Goal: Codable, Sendable {
    case atMost(Double)
    case atLeast(Double)
    /// Only reported.
    case none
  }

  let name: String
  let measured: Sample
  let against: Sample
  let goal: Goal
  /// The ratio expected before the run.
  let expected: String
  /// What the figures do not say by themselves.
  var remark = ""

  /// The median of the pairwise ratios, where both were measured alternately; otherwise the ratio
  /// of the medians.
  ///
  /// A machine that is slow for a while is slow for both of a pair.
  var ratio: Double {
    guard measured.values.count == against.values.count else {
      return measured.median / against.median
    }
    return Sample("ratio", unit: "", zip(measured.values, against.values).map(/)).median
  }

  /// Whether the goal is met; `nil` where there is none.
  var isKept: Bool? {
    switch goal {
    case .atMost(let bound): ratio <= bound
    case .atLeast(let bound): ratio >= bound
    case .none: nil
    }
  }
}

extension Row {
  static let head = ["what", "measured", "against", "ratio", "expected", "goal", ""]

  /// The row as cells of a table.
  var cells: [String] {
    let goal =
      switch self.goal {
      case .atMost(let bound): "≤ \(Sample.short(bound))"
      case .atLeast(let bound): "≥ \(Sample.short(bound))"
      case .none: "–"
      }
    return [
      remark.isEmpty ? name : "\(name) – \(remark)",
      "\(measured.name): \(measured)",
      "\(against.name): \(against)",
      Sample.short(ratio),
      expected,
      goal,
      isKept.map { $0 ? "kept" : "missed" } ?? "",
    ]
  }
}
