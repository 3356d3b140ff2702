extension GeneratedContent {
  /// Reads JSON that may break off; what is present is kept, and `isComplete` is then `false`.
  ///
  /// - Parameter json: The text to read.
  /// - Throws: `ParsingError` if the text is not the beginning of any JSON value.
  public init(json: String) throws {
    var reader = JSONReader(json)
    do {
      guard let content = try reader.readDocument() else {
        throw JSONReader.Fault(offset: 0, expected: "a JSON value")
      }
      self = content
    } catch let fault as JSONReader.Fault {
      throw ParsingError(
        rawContent: json,
        debugDescription: "Expected \(fault.expected) at byte \(fault.offset)."
      )
    }
  }
}

/// A reader of JSON text that may break off anywhere, as a model's output does while it streams.
struct JSONReader {
  struct Fault: Error {
    let offset: Int
    let expected: String
  }

  /// The maximum depth of nesting.
  ///
  /// It is deeper than any schema needs, and keeps hostile text from exhausting the stack.
  private static let maximumDepth = 128
  /// The maximum number of values, each of which takes many times the memory of its text.
  private static let maximumValues = 1 << 20

  private let bytes: [UInt8]
  private var index = 0
  private var brokeOff = false
  private var values = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// Reads one value and checks that nothing follows it; returns `nil` if the text ends before a
  /// value.
  mutating func readDocument() throws -> GeneratedContent? {
    let content = try readValue(depth: 0)
    skipSpace()
    guard index == bytes.count else { throw fault("the end of the text") }
    return content
  }

  private mutating func readValue(depth: Int) throws -> GeneratedContent? {
    skipSpace()
    guard let byte = peek else {
      brokeOff = true
      return nil
    }
    guard depth < Self.maximumDepth else { throw fault("less nesting") }
    values += 1
    guard values <= Self.maximumValues else { throw fault("fewer values") }
    switch byte {
    case UInt8(ascii: "{"): return try readObject(depth: depth)
    case UInt8(ascii: "["): return try readArray(depth: depth)
    case UInt8(ascii: "\""): return try readText()
    case UInt8(ascii: "t"): return try readWord("true", .bool(true))
    case UInt8(ascii: "f"): return try readWord("false", .bool(false))
    case UInt8(ascii: "n"): return try readWord("null", .null)
    default: return try readNumber()
    }
  }

  private mutating func readObject(depth: Int) throws -> GeneratedContent {
    index += 1
    var properties: [String: GeneratedContent] = [:]
    var keys: [String] = []
    func object(_ reader: JSONReader) -> GeneratedContent {
      reader.content(.structure(properties: properties, orderedKeys: keys))
    }
    skipSpace()
    if take("}") { return object(self) }
    while true {
      skipSpace()
      guard let byte = peek else { return broken(object) }
      guard byte == UInt8(ascii: "\"") else { throw fault("a key") }
      let key = try readString()
      skipSpace()
      guard !brokeOff, peek != nil else { return broken(object) }
      guard take(":") else { throw fault("a colon") }
      guard let value = try readValue(depth: depth + 1) else { return broken(object) }
      if properties.updateValue(value, forKey: key) == nil { keys.append(key) }
      skipSpace()
      if brokeOff || peek == nil { return broken(object) }
      if take("}") { return object(self) }
      guard take(",") else { throw fault("a comma or a closing brace") }
    }
  }

  private mutating func readArray(depth: Int) throws -> GeneratedContent {
    index += 1
    var elements: [GeneratedContent] = []
    func array(_ reader: JSONReader) -> GeneratedContent { reader.content(.array(elements)) }
    skipSpace()
    if take("]") { return array(self) }
    while true {
      guard let element = try readValue(depth: depth + 1) else { return broken(array) }
      elements.append(element)
      skipSpace()
      if brokeOff || peek == nil { return broken(array) }
      if take("]") { return array(self) }
      guard take(",") else { throw fault("a comma or a closing bracket") }
    }
  }

  private mutating func readText() throws -> GeneratedContent {
    // Read separately: in a single expression, `content` would use the reader's earlier state.
    let text = try readString()
    return content(.string(text))
  }

  private mutating func readString() throws -> String {
    index += 1
    var text: [UInt8] = []
    while let byte = peek {
      index += 1
      switch byte {
      case UInt8(ascii: "\""):
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = try readEscape() else { return String(decoding: text, as: UTF8.self) }
        text.append(contentsOf: Array(String(Character(scalar)).utf8))
      default:
        text.append(byte)
      }
    }
    brokeOff = true
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func readEscape() throws -> Unicode.Scalar? {
    guard let byte = peek else {
      brokeOff = true
      return nil
    }
    index += 1
    switch byte {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "u"):
      guard let high = try readHex() else { return nil }
      guard (0xD800..<0xDC00).contains(high) else {
        return Unicode.Scalar(high) ?? "\u{FFFD}"
      }
      return try readLowSurrogate(after: high)
    default: throw fault("an escape")
    }
  }

  /// Reads the low surrogate that follows a high surrogate.
  private mutating func readLowSurrogate(after high: UInt32) throws -> Unicode.Scalar? {
    let mark = index
    if take("\\"), peek == nil || take("u") {
      guard let low = try readHex() else { return nil }
      if (0xDC00..<0xE000).contains(low) {
        return Unicode.Scalar(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
      }
    } else if peek == nil {
      // The low surrogate may be what is missing, so the character is still unknown.
      brokeOff = true
      return nil
    }
    // A lone surrogate is not a character. Grammars allow it, so it must not invalidate the whole
    // text.
    index = mark
    return "\u{FFFD}"
  }

  private mutating func readHex() throws -> UInt32? {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek else {
        brokeOff = true
        return nil
      }
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw fault("four hexadecimal digits")
      }
      value = value << 4 | UInt32(digit)
      index += 1
    }
    return value
  }

  private mutating func readWord(
    _ word: String,
    _ kind: GeneratedContent.Kind
  ) throws -> GeneratedContent? {
    for expected in word.utf8 {
      guard let byte = peek else {
        brokeOff = true
        return nil
      }
      guard byte == expected else { throw fault("'\(word)'") }
      index += 1
    }
    return content(kind)
  }

  private mutating func readNumber() throws -> GeneratedContent? {
    let start = index
    guard take("-") || peekIsDigit else { throw fault("a JSON value") }
    let known = try scanNumber()
    if index == bytes.count, known < index || !isDocument(from: start) { brokeOff = true }
    guard known > start else { return nil }
    let text = String(decoding: bytes[start..<known], as: UTF8.self)
    return GeneratedContent(number: JSONNumber(written: text), isComplete: !brokeOff)
  }

  /// Scans a number after its sign.
  ///
  /// - Returns: Where the last complete number ended, because the text may break off mid-number,
  ///   after "-", "1." or "2e".
  private mutating func scanNumber() throws -> Int {
    if !take("0") {
      guard try takeDigits() else { return index - 1 }
    }
    var known = index
    if take(".") {
      guard try takeDigits() else { return known }
      known = index
    }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      guard try takeDigits() else { return known }
      known = index
    }
    return known
  }

  /// Takes at least one digit; returns `false` if the text breaks off before any.
  private mutating func takeDigits() throws -> Bool {
    guard peek != nil else { return false }
    guard peekIsDigit else { throw fault("a digit") }
    while peekIsDigit { index += 1 }
    return true
  }

  private var peekIsDigit: Bool {
    peek.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
  }

  // A number that is the whole document ends with the text. Inside an array or an object, the text
  // broke off and more digits may follow.
  private func isDocument(from start: Int) -> Bool {
    bytes[..<start].allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
  }

  private func content(_ kind: GeneratedContent.Kind) -> GeneratedContent {
    GeneratedContent(kind: kind, id: nil, isComplete: !brokeOff)
  }

  private mutating func broken(_ make: (JSONReader) -> GeneratedContent) -> GeneratedContent {
    brokeOff = true
    return make(self)
  }

  private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { index += 1 }
  }

  private func fault(_ expected: String) -> Fault {
    Fault(offset: index, expected: expected)
  }
}
