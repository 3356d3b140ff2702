// Texts as lines. `\r\n` is one character, and not equal to `\n`.

extension String {
  /// Its lines, whatever ends them.
  var lines: [Substring] {
    split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
  }

  /// All of it on one line.
  var inOneLine: String {
    split(whereSeparator: \.isNewline).joined(separator: " / ")
  }

  /// Its lines behind a margin, all but the first further in: none of them looks as if something
  /// else began there.
  func indentedLines(behind margin: String) -> [String] {
    lines.enumerated().map { index, line in
      index == 0 ? "\(margin)\(line)" : "\(margin)  \(line)"
    }
  }
}
