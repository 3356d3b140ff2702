/// A SplitMix64 generator that repeats its sequence for the same seed.
///
/// A failure found by a random division or mutation can therefore be reproduced.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Cuts bytes into nonempty slices of random sizes.
  mutating func divide(_ bytes: [UInt8], upTo longest: Int) -> [ArraySlice<UInt8>] {
    var slices: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let slice = rest.prefix(Int.random(in: 1...longest, using: &self))
      slices.append(slice)
      rest = rest.dropFirst(slice.count)
    }
    return slices
  }
}
