// Text as lines. `\r\n` is a single character, and not equal to `\n`.

extension String {
  /// The lines of the text, whatever ends them.
  package var lines: [Substring] {
    split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
  }

  /// The whole text on one line.
  package var inOneLine: String {
    split(whereSeparator: \.isNewline).joined(separator: " / ")
  }

  /// Returns the lines behind a margin, all but the first indented further.
  ///
  /// None of them then looks like the start of something else.
  package func indentedLines(behind margin: String) -> [String] {
    lines.enumerated().map { index, line in
      index == 0 ? "\(margin)\(line)" : "\(margin)  \(line)"
    }
  }
}
