import PlatformLibraries

struct JSONDocumentDecoder: Decoder, SingleValueDecodingContainer {
  let document: JSONDocument
  let place: Int

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ document: JSONDocument, at place: Int) {
    (self.document, self.place) = (document, place)
  }

  /// The value as it was written.
  func json() throws -> String { try document.json(at: place) }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    .init(try KeyedJSONDecoder(document, at: place))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try UnkeyedJSONDecoder(document, at: place)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { document.tokens[place].kind == .null }
  func decode(_ type: Bool.Type) throws -> Bool { try document.bool(at: place) }
  func decode(_ type: String.Type) throws -> String { try document.string(at: place) }
  func decode(_ type: Double.Type) throws -> Double { try document.double(at: place) }
  func decode(_ type: Float.Type) throws -> Float { Float(try document.double(at: place)) }
  func decode(_ type: Int.Type) throws -> Int { try document.integer(at: place) }
  func decode(_ type: Int8.Type) throws -> Int8 { try document.integer(at: place) }
  func decode(_ type: Int16.Type) throws -> Int16 { try document.integer(at: place) }
  func decode(_ type: Int32.Type) throws -> Int32 { try document.integer(at: place) }
  func decode(_ type: Int64.Type) throws -> Int64 { try document.integer(at: place) }
  func decode(_ type: UInt.Type) throws -> UInt { try document.integer(at: place) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try document.integer(at: place) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try document.integer(at: place) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try document.integer(at: place) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try document.integer(at: place) }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    // Foundation's coders have forms of their own for these.
    let special: Any?
    if type == Data.self {
      special = Data(base64Encoded: try document.string(at: place))
    } else if type == URL.self {
      special = URL(string: try document.string(at: place))
    } else if type == Decimal.self {
      special = Decimal(string: try document.number(at: place))
    } else {
      return try Value(from: self)
    }
    guard let value = special as? Value else { throw document.fault("\(type)", at: place) }
    return value
  }
}

private struct KeyedJSONDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let document: JSONDocument
  private let place: Int
  /// The values by key, of an object whose members cannot be compared quickly one after the other:
  /// there are too many, or a key has escapes.
  private var places: [String: Int]?

  /// The most members of an object that are looked at one after the other.
  private static var few: Int { 16 }

  init(_ document: JSONDocument, at place: Int) throws {
    let token = document.tokens[place]
    guard token.kind == .object else { throw document.fault("an object", at: place) }
    (self.document, self.place) = (document, place)
    guard token.count > Self.few || keys.contains(where: { document.tokens[$0].count > 0 }) else {
      return
    }
    // As Foundation's: the first of several members with one key counts.
    places = Dictionary(try keys.map { (try document.string(at: $0), $0 + 1) }) { first, _ in first
    }
  }

  var codingPath: [any CodingKey] { [] }

  /// The places of the keys; the value of each follows it.
  private var keys: some Sequence<Int> {
    let end = document.tokens[place].next
    let first = place + 1 < end ? place + 1 : nil
    return sequence(state: first) { [document] next in
      guard let key = next else { return nil }
      let following = document.tokens[key + 1].next
      next = following < end ? following : nil
      return key
    }
  }

  /// Each key once: a type that decodes the value of every key would otherwise decode one value as
  /// often as its key is written, at every level again.
  var allKeys: [Key] {
    var seen: Set<String> = []
    return keys.compactMap { key in
      guard let name = try? document.string(at: key), seen.insert(name).inserted else { return nil }
      return Key(stringValue: name)
    }
  }

  /// Returns the place of a member's value; `nil` if there is none.
  private func find(_ key: some CodingKey) -> Int? {
    let name = key.stringValue
    if let places { return places[name] }
    return keys.first { isKey($0, name) }.map { $0 + 1 }
  }

  private func isKey(_ place: Int, _ name: String) -> Bool {
    let token = document.tokens[place]
    return token.end - token.start == name.utf8.count
      && document.bytes[token.start..<token.end].elementsEqual(name.utf8)
  }

  private func decoder(_ key: Key) throws -> JSONDocumentDecoder {
    guard let found = find(key) else {
      let problem =
        "No value for '\(key.stringValue)' in the object at byte"
        + " \(document.tokens[place].start)."
      throw DecodingError.keyNotFound(key, .init(codingPath: [], debugDescription: problem))
    }
    return JSONDocumentDecoder(document, at: found)
  }

  func contains(_ key: Key) -> Bool { find(key) != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder(key).decode(type) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decoder(key).decode(type) }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try decoder(key).decode(type)
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try decoder(key).decode(type)
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder(key).decode(type)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { JSONDocumentDecoder(document, at: place) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

private struct UnkeyedJSONDecoder: UnkeyedDecodingContainer {
  private let document: JSONDocument
  private let length: Int
  private var place: Int
  private(set) var currentIndex = 0

  init(_ document: JSONDocument, at place: Int) throws {
    guard document.tokens[place].kind == .array else {
      throw document.fault("an array", at: place)
    }
    self.document = document
    length = document.tokens[place].count
    self.place = place + 1
  }

  var codingPath: [any CodingKey] { [] }
  var count: Int? { length }
  var isAtEnd: Bool { currentIndex == length }

  /// Decodes the next element, and goes on to the one after it.
  private mutating func next<Value>(
    _ decode: (JSONDocumentDecoder) throws -> Value
  ) throws -> Value {
    guard !isAtEnd else {
      let context = DecodingError.Context(codingPath: [], debugDescription: "The array has ended.")
      throw DecodingError.valueNotFound(Value.self, context)
    }
    let value = try decode(JSONDocumentDecoder(document, at: place))
    place = document.tokens[place].next
    currentIndex += 1
    return value
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, document.tokens[place].kind == .null else { return false }
    return try next { _ in true }
  }

  mutating func decode(_ type: String.Type) throws -> String { try next { try $0.decode(type) } }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next { try $0.decode(type) }
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try next { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
