import Coordination
import Coordinator
import Foundation
import Terminal
import Transcripts
import Wire

/// The live list as lines of a screen.
struct TopView {
  /// The lines above the rows and below them.
  private static let frame = 4

  private let state: TopState
  private let rows: Int

  /// - Parameter rows: How many rows the screen has.
  init(_ state: TopState, rows: Int) { (self.state, self.rows) = (state, rows) }

  /// How many processes a screen has room for.
  static func room(rows: Int) -> Int { max(1, rows - frame) }

  var lines: [StyledText] {
    if case .log(let log) = state.view { return lines(log) }
    var lines = [Self.summary(state.tree), waiting]
    let table = Self.table(state.rows, isTree: state.sort == .tree)
    guard let header = table.first else { return lines }
    lines.append(mark(header.styled(.bold), isSelected: false))
    let place = state.place(in: state.rows)
    let room = Self.room(rows: rows)
    // The selected one stays in sight.
    let start = max(0, min(place - room / 2, table.count - 1 - room))
    for (row, line) in table.dropFirst().enumerated().dropFirst(start).prefix(room) {
      lines.append(mark(line, isSelected: row == place))
    }
    lines += Array(repeating: StyledText(), count: max(0, rows - 1 - lines.count))
    return lines.prefix(max(0, rows - 1)) + [bottom]
  }

  static func table(_ rows: [ProcessRow], isTree: Bool) -> [StyledText] {
    var table = TextTable([
      "PID", "NAME", "SESSION", "ROLE", "STATE", "TOK/S", "OUT", "CONTEXT", "PSS", "AGE",
    ])
    for row in rows {
      table.add(
        [
          row.pid.map { "\($0)" } ?? "-",
          isTree ? row.indentedName : row.name, row.session ?? "", row.role,
          Self.short(row.state.words + (row.place.isElsewhere ? ", on \(row.place.name)" : "")),
          row.figures.map { String(format: "%.0f", $0.tokensPerSecond) } ?? "",
          row.figures.map { "\($0.tokensOut)" } ?? "", row.figures?.context ?? "",
          row.memory.map(MemoryText.size) ?? "", row.launched.map(PsCommand.age) ?? "",
        ],
        styles: [4: row.state.style]
      )
    }
    return table.lines
  }

  /// One line about everything.
  static func summary(_ tree: ProcessTree?) -> StyledText {
    guard let tree else { return StyledText("orchestrator", .bold) }
    var line = StyledText("orchestrator", .bold)
    let workers = tree.rows(.tree).filter { $0.figures != nil }
    let memory = tree.rows(.tree).compactMap(\.memory).reduce(0, +)
    line.append("  up \(PsCommand.age(tree.coordinator.started))")
    if let cores = tree.cores {
      line.append("  \(cores.busy) of \(cores.cores.counted("core")) busy")
      if cores.waiting > 0 { line.append(", \(cores.waiting) waiting", .yellow) }
    }
    line.append("  \(workers.count.counted("worker"))  \(MemoryText.size(memory))")
    if tree.deaths.count > 0 { line.append("  \(tree.deaths.count) died", .red) }
    return line
  }

  private var waiting: StyledText {
    guard let tree = state.tree, !tree.approvals.isEmpty else { return StyledText() }
    let calls = tree.approvals.count.counted("call waits", "calls wait")
    return StyledText("\(calls) for you: orchestrator approve", .yellow)
  }

  private var bottom: StyledText {
    if case .question(let session) = state.view {
      return StyledText(
        "Cancel the turn of '\(session.withInvisiblesShown)'? y cancels it, any other key does not.",
        .yellow
      )
    }
    if let message = state.message {
      return StyledText(message.inOneLine.withInvisiblesShown, .yellow)
    }
    let orders = TopSort.allCases.map { sort in
      sort == state.sort ? "[\(sort.rawValue)]" : sort.rawValue
    }
    return StyledText(
      "sort: \(orders.joined(separator: " "))  r reverse  l log  x cancel  q quit",
      .dim
    )
  }

  private func lines(_ log: TopLog) -> [StyledText] {
    let room = Self.room(rows: rows)
    let shown = log.shown(room: room).map { StyledText($0) }
    let position = log.below > 0 ? "\(log.below.counted("line")) below" : "following"
    let blank = Array(repeating: StyledText(), count: room - shown.count)
    let head = [StyledText(log.title.withInvisiblesShown, .bold), StyledText()]
    let foot = StyledText("\(position)  ↑↓ scroll  End follow  q back", .dim)
    return Array((head + shown + blank + [StyledText()]).prefix(max(0, rows - 1))) + [foot]
  }

  /// The marker tells the selected row where there are no styles.
  private func mark(_ line: StyledText, isSelected: Bool) -> StyledText {
    var marked = StyledText(isSelected ? "▸ " : "  ")
    marked.append(line)
    return isSelected ? marked.styled(.reversed) : marked
  }

  private static func short(_ state: String) -> String {
    state.count > 40 ? state.prefix(39) + "…" : state
  }
}
