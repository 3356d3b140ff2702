/// Columns of text, as wide as their content.
struct TextTable {
  private static let gap = "  "
  /// No cell is shortened to less, so that a name can still be recognized.
  private static let leastColumns = 12

  private var rows: [[String]]
  private let shortened: [Int]
  private let paths: [Int]

  /// Makes a table.
  /// - Parameters:
  ///   - shortened: The columns of names and descriptions, of which a part tells enough on a narrow
  ///     terminal. Numbers are never among them, nor is what a person decides on.
  ///   - paths: Those of them whose paths lose their folders first.
  init(_ header: [String], shortening shortened: Set<String> = [], paths: Set<String> = []) {
    rows = [header]
    self.shortened = header.indices.filter { shortened.contains(header[$0]) }
    self.paths = header.indices.filter { paths.contains(header[$0]) }
  }

  /// Adds a row whose cells each take one line and hide nothing.
  mutating func add(_ row: [String]) {
    rows.append(row.map(\.inOneLine.withInvisiblesShown))
  }

  var text: String {
    let widths = self.widths
    return rows.map { row in
      let cells = zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.columns)
      }
      let line = cells.joined(separator: Self.gap)
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }

  /// Returns the table as it fits into a terminal, if it can.
  ///
  /// Of the columns that may be shortened, the widest are.
  /// - Parameter width: The terminal's columns; `nil` leaves the table as it is.
  func fitting(_ width: Int?) -> TextTable {
    guard let width, Self.total(widths) > width else { return self }
    var table = self
    table.change(paths) { path in
      guard path.hasPrefix("/"), let file = path.split(separator: "/").last else { return path }
      return String(file)
    }
    let natural = table.widths
    var limit = shortened.map { natural[$0] }.max() ?? 0
    func limited() -> [Int] {
      natural.indices.map { shortened.contains($0) ? min(natural[$0], limit) : natural[$0] }
    }
    while limit > Self.leastColumns, Self.total(limited()) > width { limit -= 1 }
    table.change(shortened) { $0.shortened(to: limit) }
    return table
  }

  /// How many columns of a terminal each column takes.
  private var widths: [Int] {
    (rows.first ?? []).indices.map { column in rows.map { $0[column].columns }.max() ?? 0 }
  }

  /// How wide the lines of a table with such columns are.
  private static func total(_ widths: [Int]) -> Int {
    widths.reduce(gap.count * max(0, widths.count - 1), +)
  }

  private mutating func change(_ columns: [Int], _ change: (String) -> String) {
    for row in rows.indices {
      for column in columns { rows[row][column] = change(rows[row][column]) }
    }
  }
}
