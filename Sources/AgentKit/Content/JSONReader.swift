extension GeneratedContent {
  /// Reads JSON, also JSON that breaks off: what is there is kept and `isComplete` is false.
  /// - Throws: `ParsingError` when the text is not the beginning of any JSON value.
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

  /// Deeper nesting than any schema here needs; it keeps hostile text from exhausting the stack.
  private static let maximumDepth = 128

  private let bytes: [UInt8]
  private var index = 0
  private var brokeOff = false

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// Reads one value and checks that nothing follows it; `nil` when the text ends before any value.
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
    switch byte {
    case UInt8(ascii: "{"): return try readObject(depth: depth)
    case UInt8(ascii: "["): return try readArray(depth: depth)
    case UInt8(ascii: "\""): return content(.string(try readString()))
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
      // A lone surrogate names no character. Grammars allow it, so it must not fail the whole text.
      let mark = index
      guard take("\\"), take("u"), let low = try readHex(), (0xDC00..<0xE000).contains(low) else {
        if !brokeOff { index = mark }
        return "\u{FFFD}"
      }
      return Unicode.Scalar(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)) ?? "\u{FFFD}"
    default: throw fault("an escape")
    }
  }

  private mutating func readHex() throws -> UInt32? {
    guard index + 4 <= bytes.count else {
      index = bytes.count
      brokeOff = true
      return nil
    }
    let digits = String(decoding: bytes[index..<index + 4], as: UTF8.self)
    guard digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
      let value = UInt32(digits, radix: 16)
    else { throw fault("four hexadecimal digits") }
    index += 4
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
    let allowed = Array("+-.0123456789eE".utf8)
    while let byte = peek, allowed.contains(byte) { index += 1 }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    guard index > start else { throw fault("a JSON value") }
    if index == bytes.count { brokeOff = depthZeroNumberIsWhole(start) ? brokeOff : true }
    if let value = Double(text) { return content(.number(value)) }
    guard brokeOff else {
      index = start
      throw fault("a number")
    }
    // "-", "1." or "2e" at the end of the text: the digits before the break are what is known.
    let whole = text.prefix { $0 == "-" || $0.isNumber }
    return Double(whole).map { content(.number($0)) }
  }

  // A number that is the whole document ends with the text; inside a list or an object the text
  // broke off, and more digits may follow.
  private func depthZeroNumberIsWhole(_ start: Int) -> Bool {
    start == 0 || bytes[..<start].allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
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
