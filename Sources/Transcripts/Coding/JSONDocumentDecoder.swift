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
  private let object: JSONObject

  init(_ document: JSONDocument, at place: Int) throws {
    object = try JSONObject(document, at: place)
  }

  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { object.names.compactMap { Key(stringValue: $0) } }

  private func find(_ key: Key) -> Int? { object.place(of: key.stringValue) }

  private func decoder(_ key: Key) throws -> JSONDocumentDecoder {
    guard let found = find(key) else {
      let problem = "No value for '\(key.stringValue)' in the object at byte \(object.start)."
      throw DecodingError.keyNotFound(key, .init(codingPath: [], debugDescription: problem))
    }
    return JSONDocumentDecoder(object.document, at: found)
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

  func superDecoder() throws -> any Decoder {
    JSONDocumentDecoder(object.document, at: object.place)
  }

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
