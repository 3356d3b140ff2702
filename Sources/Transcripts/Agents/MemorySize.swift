/// An amount of memory as people write it: a number and a unit, such as `8 GB` or `512 MiB`.
public struct MemorySize: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The amount as it was written.
  public let description: String

  /// Creates an amount; ``bytes`` tells whether the text is one.
  public init(_ text: String) { description = text }

  /// Creates an amount; ``bytes`` tells whether the text is one.
  public init(stringLiteral text: String) { description = text }

  /// The bytes; `nil` if the text is no amount.
  public var bytes: Int? {
    let text = description.filter { $0 != " " }
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let count = Double(digits), count >= 0,
      let unit = Self.units[text.dropFirst(digits.count).lowercased()]
    else { return nil }
    let bytes = count * unit
    return bytes < Double(Int.max / 2) ? Int(bytes) : nil
  }

  private static let units: [String: Double] = [
    "": 1, "b": 1, "k": 1e3, "kb": 1e3, "kib": 1024, "m": 1e6, "mb": 1e6, "mib": 1_048_576,
    "g": 1e9, "gb": 1e9, "gib": 1_073_741_824, "t": 1e12, "tb": 1e12, "tib": 1_099_511_627_776,
  ]
}

extension MemorySize: Codable {
  /// Decodes the text of the amount.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the text of the amount.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
