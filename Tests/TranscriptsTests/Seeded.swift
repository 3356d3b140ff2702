/// A random number generator that repeats its sequence for the same seed.
struct Seeded: RandomNumberGenerator {
  var seed: UInt64

  mutating func next() -> UInt64 {
    seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return seed ^ seed >> 29
  }
}
