final class JSONNodeEncoder: Encoder, SingleValueEncodingContainer {
  var node: JSONNode?
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .object(let object)? = node { return .init(KeyedJSONEncoder(object: object)) }
    let object = JSONNode.Object()
    node = .object(object)
    return .init(KeyedJSONEncoder(object: object))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .array(let array)? = node { return UnkeyedJSONEncoder(array: array) }
    let array = JSONNode.Elements()
    node = .array(array)
    return UnkeyedJSONEncoder(array: array)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { node = .null }
  func encode(_ value: Bool) { node = .bool(value) }
  func encode(_ value: String) { node = .string(value) }
  func encode(_ value: Double) throws { node = try JSONNode(number: value) }
  func encode(_ value: Float) throws { node = try JSONNode(number: value) }
  func encode(_ value: Int) { node = .number(String(value)) }
  func encode(_ value: Int8) { encode(Int(value)) }
  func encode(_ value: Int16) { encode(Int(value)) }
  func encode(_ value: Int32) { encode(Int(value)) }
  func encode(_ value: Int64) { encode(Int(value)) }
  func encode(_ value: UInt) { node = .number(String(value)) }
  func encode(_ value: UInt8) { encode(UInt(value)) }
  func encode(_ value: UInt16) { encode(UInt(value)) }
  func encode(_ value: UInt32) { encode(UInt(value)) }
  func encode(_ value: UInt64) { encode(UInt(value)) }
  func encode(_ value: some Encodable) throws { node = try JSONNode(value) }
}

private struct KeyedJSONEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let object: JSONNode.Object
  var codingPath: [any CodingKey] { [] }

  private func add(_ node: JSONNode, _ key: some CodingKey) {
    object.members.append((key.stringValue, node))
  }

  func encodeNil(forKey key: Key) { add(.null, key) }
  func encode(_ value: Bool, forKey key: Key) { add(.bool(value), key) }
  func encode(_ value: String, forKey key: Key) { add(.string(value), key) }
  func encode(_ value: Double, forKey key: Key) throws { add(try JSONNode(number: value), key) }
  func encode(_ value: Int, forKey key: Key) { add(.number(String(value)), key) }
  func encode(_ value: some Encodable, forKey key: Key) throws { add(try JSONNode(value), key) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    let nested = JSONNode.Object()
    add(.object(nested), key)
    return .init(KeyedJSONEncoder<NestedKey>(object: nested))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    let nested = JSONNode.Elements()
    add(.array(nested), key)
    return UnkeyedJSONEncoder(array: nested)
  }

  // Only classes that inherit their coding need these, and none of ours does.
  func superEncoder() -> any Encoder { preconditionFailure("an encoder of a superclass") }
  func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}

private struct UnkeyedJSONEncoder: UnkeyedEncodingContainer {
  let array: JSONNode.Elements
  var codingPath: [any CodingKey] { [] }
  var count: Int { array.nodes.count }

  func encodeNil() { array.nodes.append(.null) }
  func encode(_ value: String) { array.nodes.append(.string(value)) }
  func encode(_ value: some Encodable) throws { array.nodes.append(try JSONNode(value)) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    let nested = JSONNode.Object()
    array.nodes.append(.object(nested))
    return .init(KeyedJSONEncoder<NestedKey>(object: nested))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    let nested = JSONNode.Elements()
    array.nodes.append(.array(nested))
    return UnkeyedJSONEncoder(array: nested)
  }

  func superEncoder() -> any Encoder { preconditionFailure("an encoder of a superclass") }
}
