import PlatformLibraries

/// There is not enough memory for one more process; sizes are in bytes.
package struct MemoryShortage: Error, Sendable, Equatable {
  package let needed: Int
  /// What is free and reserved for no other process.
  package let free: Int
  /// What there is for processes in total.
  package let total: Int
  /// How long the launch waited.
  package let waited: Duration

  package init(needed: Int, free: Int, total: Int, waited: Duration) {
    self.needed = needed
    self.free = free
    self.total = total
    self.waited = waited
  }

  /// Whether the process would not fit even if it were alone.
  package var isPermanent: Bool { needed > total }
}

extension MemoryShortage: CustomStringConvertible {
  package var description: String {
    let freed =
      waited < .seconds(1) ? "" : " Nothing was freed within \(waited.components.seconds) s."
    let smaller = "a smaller model with --model, or a smaller window with --context"
    return
      "There is not enough memory for one more process: it needs \(Self.size(needed)), and"
      + " \(Self.size(free)) of \(Self.size(total)) are free.\(freed)"
      + (isPermanent
        ? " It can never fit: choose \(smaller)."
        : " Try again when other programs or sessions have ended, or choose \(smaller).")
  }

  private static func size(_ bytes: Int) -> String {
    guard bytes >= 10_000_000_000 else { return "\(bytes / 1_000_000) MB" }
    let tenths = (bytes + 50_000_000) / 100_000_000
    return "\(tenths / 10).\(tenths % 10) GB"
  }
}
