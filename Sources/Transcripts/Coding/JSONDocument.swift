/// JSON that was read once: where each value begins and ends, in order.
///
/// Values are made of it when they are asked for.
final class JSONDocument: Sendable {
  struct Token: Sendable {
    enum Kind: Sendable { case null, bool, number, string, array, object }

    let kind: Kind
    /// The first byte of the value; of a string, the first after its quote.
    let start: Int
    /// The end of the value; of a string, its closing quote.
    var end: Int
    /// The token after the value and all that is in it.
    var next: Int
    /// The elements of an array or the members of an object; of a string, its backslashes.
    var count = 0
  }

  let bytes: [UInt8]
  let tokens: [Token]

  /// - Throws: `DecodingError` for bytes that are not one JSON value.
  init(_ bytes: [UInt8]) throws {
    var reader = JSONTokenReader(bytes)
    try reader.readDocument()
    self.bytes = bytes
    tokens = reader.tokens
  }

  var decoder: JSONDocumentDecoder { JSONDocumentDecoder(self, at: 0) }

  /// A value as it was written.
  func json(at place: Int) throws -> String {
    let token = tokens[place]
    let quote = token.kind == .string ? 1 : 0
    return try text(token.start - quote, token.end + quote)
  }

  func string(at place: Int) throws -> String {
    let token = tokens[place]
    guard token.kind == .string else { throw fault("a string", at: place) }
    if token.count == 0 { return try text(token.start, token.end) }
    return try text(JSONEscapes.removed(from: bytes[token.start..<token.end]))
  }

  func bool(at place: Int) throws -> Bool {
    let token = tokens[place]
    guard token.kind == .bool else { throw fault("true or false", at: place) }
    return bytes[token.start] == UInt8(ascii: "t")
  }

  /// The text of a number.
  func number(at place: Int) throws -> String {
    let token = tokens[place]
    guard token.kind == .number else { throw fault("a number", at: place) }
    return try text(token.start, token.end)
  }

  func integer<Number: FixedWidthInteger>(at place: Int) throws -> Number {
    let text = try number(at: place)
    if let number = Number(text) { return number }
    // Like Foundation's: a whole number may be written with a fraction or an exponent.
    guard let double = Double(text), let number = Number(exactly: double) else {
      throw fault("a number of the type \(Number.self)", at: place)
    }
    return number
  }

  func double(at place: Int) throws -> Double {
    guard let number = Double(try number(at: place)), number.isFinite else {
      throw fault("a number that a Double can hold", at: place)
    }
    return number
  }

  func fault(_ expected: String, at place: Int) -> DecodingError {
    JSONTokenReader.fault(expected, at: tokens[place].start)
  }

  private func text(_ start: Int, _ end: Int) throws -> String {
    try text(bytes[start..<end])
  }

  private func text(_ bytes: ArraySlice<UInt8>) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw JSONTokenReader.fault("UTF-8", at: bytes.startIndex)
    }
    return text
  }
}
