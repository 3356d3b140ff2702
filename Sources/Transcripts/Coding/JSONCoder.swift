/// The JSON that processes exchange and the journal keeps: on one line, with sorted keys.
///
/// It writes what Foundation's coders with sorted keys write, and reads what they read, in half
/// of their time: a step of an agent codes some twenty small values. An entry in it stays as the
/// bytes that its worker wrote.
package enum JSONCoder {
  /// - Throws: `EncodingError` for a number that JSON cannot have, or the errors of the value.
  package static func encode(_ value: some Encodable) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try JSONNode(value).write(to: &bytes)
    return bytes
  }

  /// - Throws: As `encode(_:)`.
  package static func text(of value: some Encodable) throws -> String {
    String(decoding: try encode(value), as: UTF8.self)
  }

  /// - Throws: `DecodingError`, or the errors of the value.
  package static func decode<Value: Decodable>(
    _ type: Value.Type = Value.self,
    from bytes: [UInt8]
  ) throws -> Value {
    try JSONDocument(bytes).decoder.decode(type)
  }
}
