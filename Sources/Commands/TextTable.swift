/// Columns of text, as wide as their content.
struct TextTable {
  private var rows: [[String]]

  init(_ header: [String]) {
    rows = [header]
  }

  /// Adds a row whose cells each take one line and hide nothing.
  mutating func add(_ row: [String]) {
    rows.append(row.map(\.inOneLine.withInvisiblesShown))
  }

  var text: String {
    let columns = rows.first?.count ?? 0
    let widths = (0..<columns).map { column in rows.map { $0[column].columns }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.columns)
      }
      let line = cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}
