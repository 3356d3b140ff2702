/// Names one life of a worker.
///
/// Whatever a worker reports is its own life's, and nobody else's.
package struct RunID: Hashable, Codable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }

  /// A new life of an agent: its name and eight random digits.
  package static func new(agent: String) -> RunID {
    let digits = String(UInt32.random(in: .min ... .max), radix: 16)
    return RunID("\(agent)-\(String(repeating: "0", count: 8 - digits.count))\(digits)")
  }

  /// Whose life it is.
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
