/// One comparison, measured in one run.
struct Row: Codable, Sendable {
  /// What the ratio has to be.
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
  /// The ratio that was expected before the run.
  let expected: String
  /// What the figures do not say by themselves.
  var remark = ""

  /// The median of the ratios of pairs, where both were measured in turns; of the medians otherwise.
  ///
  /// A machine that is slower for a while is so for both of a pair.
  var ratio: Double {
    guard measured.values.count == against.values.count else {
      return measured.median / against.median
    }
    return Sample("ratio", unit: "", zip(measured.values, against.values).map(/)).median
  }

  /// Whether the goal is kept; `nil` where there is none.
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

  /// The row as the cells of a table.
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
