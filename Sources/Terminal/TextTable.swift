/// Columns of text, as wide as their content.
package struct TextTable {
  private static let gap = "  "

  private var rows: [[String]]

  package init(_ header: [String]) { rows = [header] }

  /// Adds a row whose cells each take one line and hide nothing.
  package mutating func add(_ row: [String]) {
    rows.append(row.map(\.inOneLine.withInvisiblesShown))
  }

  package var text: String {
    let widths = (rows.first ?? []).indices.map { column in
      rows.map { $0[column].columns }.max() ?? 0
    }
    return rows.map { row in
      let cells = zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.columns)
      }
      let line = cells.joined(separator: Self.gap)
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}
