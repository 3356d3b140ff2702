/// Columns of text, as wide as their content.
package struct TextTable {
  private static let gap = "  "

  private struct Row {
    var cells: [String]
    var styles: [Int: Style]
  }

  private var rows: [Row]

  package init(_ header: [String]) { rows = [Row(cells: header, styles: [:])] }

  /// Adds a row whose cells each take one line and hide nothing.
  /// - Parameter styles: The styles of cells, by column.
  package mutating func add(_ row: [String], styles: [Int: Style] = [:]) {
    rows.append(Row(cells: row.map(\.inOneLine.withInvisiblesShown), styles: styles))
  }

  package var text: String { lines.map(\.text).joined(separator: "\n") }

  /// The header and the rows, with their styles.
  package var lines: [StyledText] {
    let widths = (rows.first?.cells ?? []).indices.map { column in
      rows.map { $0.cells[column].columns }.max() ?? 0
    }
    return rows.map { row in
      var line = StyledText()
      // Nothing follows the last cell that has a text, not even spaces.
      let last = row.cells.lastIndex { $0.contains { $0 != " " } } ?? -1
      for (column, cell) in row.cells.enumerated().prefix(last + 1) {
        let text = column < last ? cell : String(cell.reversed().drop { $0 == " " }.reversed())
        line.append(text, row.styles[column] ?? [])
        guard column < last else { break }
        let padding = String(repeating: " ", count: widths[column] - cell.columns)
        line.append(padding + Self.gap)
      }
      return line
    }
  }
}
