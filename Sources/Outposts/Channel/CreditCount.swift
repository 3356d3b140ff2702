/// The bytes of each lane that were taken and have not been reported to the sender.
struct CreditCount: Sendable {
  private var taken: [ChannelFrame.Lane: Int] = [:]

  /// How many lanes are counted.
  var lanes: Int { taken.count }

  /// Counts bytes that were taken.
  ///
  /// - Returns: What to report now; `nil` while it is too little to be worth a message.
  mutating func take(_ bytes: Int, of lane: ChannelFrame.Lane) -> Int? {
    let sum = (taken[lane] ?? 0) + bytes
    guard sum >= ChannelQueue.window / 4 else {
      taken[lane] = sum
      return nil
    }
    taken[lane] = nil
    return sum
  }

  mutating func forget(_ lane: ChannelFrame.Lane) { taken[lane] = nil }
}
