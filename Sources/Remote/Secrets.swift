/// What a request shows only to its server.
struct Secrets: Sendable {
  private static let mark = Array("(hidden)".utf8)
  /// Shorter values are not secrets, and shorter parts of values may be ordinary words.
  private static let (smallestValue, smallestPart) = (4, 6)
  /// Header words that say how to read what follows them.
  private static let schemes: Set<String> = ["apikey", "api-key", "bearer", "digest", "negotiate"]

  /// The secrets, longest first, because a value is more than its parts.
  private let texts: [[UInt8]]
  /// For each byte, whether a secret begins with it.
  private let isBeginning: [Bool]

  /// Collects the secrets.
  /// - Parameters:
  ///   - values: Headers and credentials, to be hidden whole and word by word.
  ///   - query: The query of the address, to be hidden whole and value by value.
  init(_ values: [String], query: String?) {
    let queries = [query].compactMap(\.self)
    let parts = values.flatMap(Self.words) + queries.flatMap(Self.values)
    func long(_ texts: [String], _ count: Int) -> [String] {
      texts.flatMap { [$0, $0.withoutPercentSigns] }.filter { $0.utf8.count >= count }
    }
    let all =
      long(values + queries, Self.smallestValue)
      + long(parts, Self.smallestPart).filter { !Self.schemes.contains($0.lowercased()) }
    texts = Set(all).map { Array($0.utf8) }.sorted { $0.count > $1.count }
    var isBeginning = Array(repeating: false, count: 256)
    for text in texts { isBeginning[Int(text[0])] = true }
    self.isBeginning = isBeginning
  }

  /// Returns a text without the secrets; cut it only afterwards: half a secret is not found.
  func hidden(in text: String) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var place = 0
    while place < bytes.count {
      if isBeginning[Int(bytes[place])],
        let found = texts.first(where: { bytes[place...].starts(with: $0) })
      {
        result += Self.mark
        place += found.count
      } else {
        result.append(bytes[place])
        place += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns the words of a header and the values that some of them name, as in `session=…`.
  private static func words(of value: String) -> [String] {
    value.split { " \t,;\"".contains($0) }.flatMap { word in
      [String(word)] + (named(word).map { [$0] } ?? [])
    }
  }

  private static func values(of query: String) -> [String] {
    query.split(separator: "&")
      // Not a secret, and servers that know only other versions mention it.
      .filter { !$0.hasPrefix("api-version=") }
      .map { named($0) ?? String($0) }
  }

  private static func named(_ text: Substring) -> String? {
    text.firstIndex(of: "=").map { String(text[text.index(after: $0)...]) }
  }
}

extension String {
  /// The text with percent-encoded bytes decoded; anything else stays.
  ///
  /// Done by hand, because the function is in the part of Foundation that no worker loads.
  fileprivate var withoutPercentSigns: String {
    var bytes: [UInt8] = []
    var rest = Array(utf8)[...]
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), digits.allSatisfy(\.isHexDigit), digits.utf8.count == 2,
        let meant = UInt8(digits, radix: 16)
      {
        bytes.append(meant)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
