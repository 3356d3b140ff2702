import TestSupport

extension Seeded {
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
