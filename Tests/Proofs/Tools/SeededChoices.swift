import TestSupport

/// Makes choices that are the same for the same seed.
protocol SeededChoices {
  var random: Seeded { get set }
}

extension SeededChoices {
  mutating func pick(_ words: String...) -> String {
    words[Int.random(in: 0..<words.count, using: &random)]
  }

  mutating func number(_ low: Int, _ high: Int) -> Int {
    Int.random(in: low...high, using: &random)
  }
}
