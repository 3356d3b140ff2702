extension String {
  /// The digits with zeros before them where there are fewer than a number of digits.
  package func zeroPadded(to count: Int) -> String {
    String(repeating: "0", count: Swift.max(0, count - utf8.count)) + self
  }
}
