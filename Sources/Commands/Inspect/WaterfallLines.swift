import Foundation
import Terminal
import Transcripts

extension Waterfall {
  /// How many columns an axis takes.
  fileprivate static let width = 56

  /// The waterfall as lines: a row each, with its bar and its time.
  var lines: [String] {
    guard !turns.isEmpty else { return [] }
    let legend = Bar.Kind.allCases.map { "\($0.sign) \($0.words)" }.joined(separator: "  ")
    return turns.flatMap { $0.lines + [""] } + [legend]
  }

  fileprivate static func time(_ seconds: Double) -> String {
    seconds < 1 ? "\(seconds.wholeMilliseconds) ms" : String(format: "%.2f s", seconds)
  }
}

extension Waterfall.Turn {
  private var seconds: Double { max(ended.timeIntervalSince(started), 0.001) }

  fileprivate var lines: [String] {
    var table = TextTable([
      "TURN \(number)", "0" + String(repeating: " ", count: Waterfall.width - 1),
      Waterfall.time(seconds),
    ])
    for row in rows {
      let name = String(repeating: "  ", count: row.depth) + "\(row.agent) \(row.label)"
      let total = row.bars.reduce(0) { $0 + $1.to.timeIntervalSince($1.from) }
      let cached = row.cached.map { ", \($0) cached" } ?? ""
      table.add([name, axis(row.bars), Waterfall.time(total) + cached])
    }
    return table.text.lines.map(String.init)
  }

  /// The bars in as many columns as an axis has; the shortest takes one.
  private func axis(_ bars: [Waterfall.Bar]) -> String {
    var columns = Array(repeating: Character(" "), count: Waterfall.width)
    for bar in bars where bar.to > bar.from {
      let (start, end) = (column(of: bar.from), column(of: bar.to))
      for place in start...max(start, end) { columns[place] = bar.kind.sign }
    }
    return String(columns)
  }

  private func column(of date: Date) -> Int {
    // A clock may have been set during the turn.
    let part = min(1, max(0, date.timeIntervalSince(started) / seconds))
    return min(Waterfall.width - 1, Int(part * Double(Waterfall.width)))
  }
}

extension Waterfall.Bar.Kind {
  fileprivate var sign: Character {
    switch self {
    case .wait: "·"
    case .prefill: "▒"
    case .decode: "█"
    case .tool: "━"
    case .friend: "─"
    case .approval: "?"
    }
  }

  fileprivate var words: String {
    switch self {
    case .wait: "waiting"
    case .prefill: "prefill"
    case .decode: "decode"
    case .tool: "tool"
    case .friend: "friend"
    case .approval: "approval"
    }
  }
}
