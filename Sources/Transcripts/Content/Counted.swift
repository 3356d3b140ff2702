extension Int {
  /// A count with its noun, such as "1 session" or "2 sessions".
  package func counted(_ noun: String, _ plural: String? = nil) -> String {
    "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
  }
}
