package struct MetricTable: Sendable {
  /// The labels of a series, in order.
  package typealias Labels = [Label]

  package struct Label: Sendable, Hashable {
    let name: String
    let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      // A model may make up a name of any length, or one that turns the text around or commands a
      // terminal. Names that are written alike are one series, which may not be written twice.
      self.value = String(
        String.UnicodeScalarView(
          value.bounded(toBytes: 128).unicodeScalars.map { Self.isShown($0) ? $0 : "?" }
        )
      )
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.properties.generalCategory {
      case .format: false
      case .control: scalar == "\n"
      default: true
      }
    }
  }

  private enum Series: Sendable {
    case number(Double)
    case histogram(counts: [Int], sum: Double)
  }

  private var families: [Metric: [Labels: Series]] = [:]

  /// The most series of a metric: names of tools are what models call, existent or not.
  private static let mostSeries = 200
  /// The value of labels of what goes beyond; the conventions' word.
  static let other = "_OTHER"

  package init() {}

  package mutating func add(_ value: Double = 1, to metric: Metric, _ labels: Labels = []) {
    let labels = bounded(labels, metric)
    guard case .number(let old) = families[metric]?[labels] ?? .number(0) else { return }
    families[metric, default: [:]][labels] = .number(old + max(0, value))
  }

  /// Sets a gauge, or a counter that is counted elsewhere.
  package mutating func set(_ metric: Metric, _ value: Double, _ labels: Labels = []) {
    families[metric, default: [:]][bounded(labels, metric)] = .number(value)
  }

  /// Adds to a histogram.
  package mutating func observe(_ value: Double, in metric: Metric, _ labels: Labels = []) {
    guard case .histogram(let bounds) = metric.kind, value.isFinite, value >= 0 else {
      return
    }
    let labels = bounded(labels, metric)
    let empty = Series.histogram(counts: Array(repeating: 0, count: bounds.count + 1), sum: 0)
    guard case .histogram(var counts, let sum) = families[metric]?[labels] ?? empty else { return }
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
    families[metric, default: [:]][labels] = .histogram(counts: counts, sum: sum + value)
  }

  /// Sets a histogram that is counted elsewhere.
  /// - Parameter counts: How many values fell into each bucket, and into none.
  package mutating func set(_ metric: Metric, counts: [Int], sum: Double) {
    families[metric] = [[]: .histogram(counts: counts, sum: sum)]
  }

  private func bounded(_ labels: Labels, _ metric: Metric) -> Labels {
    guard let known = families[metric], known[labels] == nil, known.count >= Self.mostSeries else {
      return labels
    }
    return labels.map { Label($0.name, Self.other) }
  }

  // MARK: Text

  /// The table in Prometheus's text format, version 0.0.4.
  package var text: String {
    var text = ""
    for metric in Metric.allCases {
      guard let series = families[metric], !series.isEmpty else { continue }
      let name = metric.name
      text += "# HELP \(name) \(metric.help)\n# TYPE \(name) \(metric.kind.word)\n"
      let sorted = series.map { (labels: $0.key, series: $0.value, text: Self.text($0.key)) }
        .sorted { $0.text < $1.text }
      for (labels, series, shown) in sorted {
        switch series {
        case .number(let value): text += "\(name)\(shown) \(Self.text(value))\n"
        case .histogram(let counts, let sum):
          guard case .histogram(let bounds) = metric.kind else { continue }
          var total = 0
          for (bound, count) in zip(bounds.map(Self.text) + ["+Inf"], counts) {
            total += count
            text += "\(name)_bucket\(Self.text(labels + [Label("le", bound)])) \(total)\n"
          }
          text += "\(name)_sum\(shown) \(Self.text(sum))\n"
          text += "\(name)_count\(shown) \(total)\n"
        }
      }
    }
    return text
  }

  private static func text(_ value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Inf" : "+Inf" }
    if value == value.rounded(), abs(value) < 1e15 { return "\(Int(value))" }
    return "\(value)"
  }

  private static func text(_ labels: Labels) -> String {
    guard !labels.isEmpty else { return "" }
    return "{" + labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",") + "}"
  }

  private static func escaped(_ value: String) -> String {
    var text = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
