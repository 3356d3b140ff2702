import Transcripts

/// Names one life of a worker.
///
/// Whatever a worker reports belongs to its own life and no other.
package struct RunID: Hashable, Codable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }

  /// Creates a name for a new life of an agent: the agent's name and ten random letters and digits.
  ///
  /// That is enough to give a million lives in one journal distinct names: with eight hexadecimal
  /// digits, two of 100,000 had the same.
  package static func new(agent: String) -> RunID {
    let count: UInt64 = 3_656_158_440_062_976  // 36 to the tenth
    let digits = String(UInt64.random(in: 0..<count), radix: 36)
    return RunID("\(agent)-\(digits.zeroPadded(to: 10))")
  }

  /// The agent whose life it is.
  package var agent: String {
    description.lastIndex(of: "-").map { String(description[..<$0]) } ?? description
  }

  package init(from decoder: any Decoder) throws {
    description = try decoder.singleValueContainer().decode(String.self)
  }

  package func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(description)
  }
}
