/// Caps as they are given; omitted ones keep the recipient's values.
package struct GivenCaps: Sendable, Equatable, Codable {
  package var rounds: Int?
  package var calls: Int?
  package var tokens: Int?
  package var seconds: Int?
  package var depth: Int?
  package var fanOut: Int?
  package var repeats: Int?
  package var approval: Int?
  package var policy: Caps.Policy?

  /// Reads a text such as `rounds=4,tokens=2000,policy=fail`.
  package init(_ text: String) throws(Caps.Fault) {
    guard !text.isEmpty else { return }
    var names: Set<String> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let pieces = part.split(separator: "=", maxSplits: 1).map(String.init)
      guard pieces.count == 2 else { throw .noValue(part.isEmpty ? text : String(part)) }
      let name = pieces[0].lowercased()
      try set(name, to: pieces[1])
      guard names.insert(name).inserted else { throw .twice(name: name) }
    }
  }

  private mutating func set(_ name: String, to text: String) throws(Caps.Fault) {
    if name == "policy" {
      policy = try Self.policy(text)
      return
    }
    guard let field = Self.fields[name] else { throw .unknown(name: name) }
    guard let value = Int(text) else { throw .notANumber(name: name, value: text) }
    try Self.check(value, of: name)
    self[keyPath: field.given] = value
  }

  private static func policy(_ text: String) throws(Caps.Fault) -> Caps.Policy {
    guard let policy = Caps.Policy(rawValue: text) else { throw .unknownPolicy(text) }
    return policy
  }

  /// Reads caps sent as JSON, under the rules that hold for caps given as text.
  package init(from decoder: any Decoder) throws {
    let names = try decoder.container(keyedBy: AnyName.self).allKeys.map(\.stringValue)
    if let name = names.filter({ !Caps.names.contains($0) }).min() {
      throw Caps.Fault.unknown(name: name)
    }
    try self.init(knownOf: decoder)
  }

  /// Reads the caps known to this version and ignores the others.
  ///
  /// A turn journaled by another version keeps its bounds.
  init(knownOf decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    policy = try values.decodeIfPresent(String.self, forKey: .policy).map(Self.policy)
    for (name, field) in Self.fields {
      guard let key = CodingKeys(rawValue: name),
        let value = try values.decodeIfPresent(Int.self, forKey: key)
      else { continue }
      try Self.check(value, of: name)
      self[keyPath: field.given] = value
    }
  }

  /// The names that people read.
  enum CodingKeys: String, CodingKey {
    case rounds, calls, tokens, seconds, depth, repeats, approval, policy
    case fanOut = "fanout"
  }

  private static func check(_ value: Int, of name: String) throws(Caps.Fault) {
    // A turn without a single round cannot answer; having no friends at all is a choice.
    let least = ["depth", "fanout"].contains(name) ? 0 : 1
    guard value >= least else { throw .notPositive(name: name, value: value) }
    guard value <= Caps.maximum else { throw .tooLarge(name: name, value: value) }
  }

  /// Applies these caps over defaults.
  package func over(_ caps: Caps) -> Caps {
    var all = caps
    for field in Self.fields.values {
      if let value = self[keyPath: field.given] { all[keyPath: field.cap] = value }
    }
    if let policy { all.policy = policy }
    return all
  }

  /// The key paths of one cap, as given and as it applies.
  private struct Field {
    let given: WritableKeyPath<GivenCaps, Int?>
    let cap: WritableKeyPath<Caps, Int>
  }

  private static var fields: [String: Field] {
    [
      "rounds": Field(given: \.rounds, cap: \.rounds),
      "calls": Field(given: \.calls, cap: \.calls),
      "tokens": Field(given: \.tokens, cap: \.tokens),
      "seconds": Field(given: \.seconds, cap: \.seconds),
      "depth": Field(given: \.depth, cap: \.depth),
      "fanout": Field(given: \.fanOut, cap: \.fanOut),
      "repeats": Field(given: \.repeats, cap: \.repeats),
      "approval": Field(given: \.approval, cap: \.approval),
    ]
  }
}

/// A key of any name, to list those that there are.
package struct AnyName: CodingKey {
  package let stringValue: String
  package var intValue: Int? { nil }

  package init(stringValue: String) { self.stringValue = stringValue }
  package init?(intValue: Int) { return nil }
}
