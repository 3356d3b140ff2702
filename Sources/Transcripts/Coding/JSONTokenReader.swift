/// Reads JSON text to the end, and notes where its values are.
struct JSONTokenReader {
  /// As deep as Foundation's coders read.
  private static let maximumDepth = 512

  private let bytes: [UInt8]
  private var index = 0
  private(set) var tokens: [JSONDocument.Token] = []

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    tokens.reserveCapacity(bytes.count / 16 + 4)
  }

  mutating func readDocument() throws {
    try readValue(depth: 0)
    skipSpace()
    guard index == bytes.count else { throw fault("the end") }
  }

  static func fault(_ expected: String, at index: Int) -> DecodingError {
    let problem = "Expected \(expected) at byte \(index)."
    return .dataCorrupted(.init(codingPath: [], debugDescription: problem))
  }

  private func fault(_ expected: String) -> DecodingError { Self.fault(expected, at: index) }

  private mutating func readValue(depth: Int) throws {
    skipSpace()
    guard depth < Self.maximumDepth else { throw fault("less nesting") }
    switch peek {
    case UInt8(ascii: "{"): try readObject(depth: depth)
    case UInt8(ascii: "["): try readArray(depth: depth)
    case UInt8(ascii: "\""): try readString()
    case UInt8(ascii: "t"): try readWord("true", .bool)
    case UInt8(ascii: "f"): try readWord("false", .bool)
    case UInt8(ascii: "n"): try readWord("null", .null)
    default: try readNumber()
    }
  }

  private mutating func readObject(depth: Int) throws {
    let place = open(.object)
    if !skip("}") {
      repeat {
        skipSpace()
        guard peek == UInt8(ascii: "\"") else { throw fault("a key") }
        try readString()
        guard skip(":") else { throw fault("a colon") }
        try readValue(depth: depth + 1)
        tokens[place].count += 1
      } while skip(",")
      guard skip("}") else { throw fault("a comma or a closing brace") }
    }
    close(place)
  }

  private mutating func readArray(depth: Int) throws {
    let place = open(.array)
    if !skip("]") {
      repeat {
        try readValue(depth: depth + 1)
        tokens[place].count += 1
      } while skip(",")
      guard skip("]") else { throw fault("a comma or a closing bracket") }
    }
    close(place)
  }

  private mutating func open(_ kind: JSONDocument.Token.Kind) -> Int {
    tokens.append(.init(kind: kind, start: index, end: index, next: 0))
    index += 1
    return tokens.count - 1
  }

  private mutating func close(_ place: Int) {
    tokens[place].end = index
    tokens[place].next = tokens.count
  }

  private mutating func add(_ kind: JSONDocument.Token.Kind, from start: Int, count: Int = 0) {
    tokens.append(
      .init(kind: kind, start: start, end: index, next: tokens.count + 1, count: count)
    )
  }

  private mutating func readString() throws {
    index += 1
    let start = index
    var escapes = 0
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        add(.string, from: start, count: escapes)
        index += 1
        return
      case UInt8(ascii: "\\"):
        escapes += 1
        try readEscape()
      case ..<0x20: throw fault("no control character")
      default: index += 1
      }
    }
    throw fault("a closing quote")
  }

  /// Checks an escape here, because a string that is not asked for travels on as it was written.
  private mutating func readEscape() throws {
    index += 1
    guard let kind = peek, #""\/bfnrtu"#.utf8.contains(kind) else { throw fault("an escape") }
    index += 1
    guard kind == UInt8(ascii: "u") else { return }
    for _ in 0..<4 {
      guard let digit = peek, Character(Unicode.Scalar(digit)).isHexDigit else {
        throw fault("four hexadecimal digits")
      }
      index += 1
    }
  }

  private mutating func readWord(_ word: StaticString, _ kind: JSONDocument.Token.Kind) throws {
    let start = index
    guard bytes[index...].starts(with: word.description.utf8) else { throw fault("a JSON value") }
    index += word.utf8CodeUnitCount
    add(kind, from: start)
  }

  private mutating func readNumber() throws {
    let start = index
    if peek == UInt8(ascii: "-") { index += 1 }
    // No digit follows a leading zero.
    if peek == UInt8(ascii: "0") { index += 1 } else { try readDigits() }
    if peek == UInt8(ascii: ".") {
      index += 1
      try readDigits()
    }
    if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
      index += 1
      if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { index += 1 }
      try readDigits()
    }
    add(.number, from: start)
  }

  private mutating func readDigits() throws {
    let start = index
    while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
    guard index > start else { throw fault(index == 0 ? "a JSON value" : "a digit") }
  }

  private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard peek == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      index += 1
    }
  }
}

/// The escapes in JSON's strings, as far as a token reader has checked them.
enum JSONEscapes {
  /// The bytes of a string, with what its escapes stand for.
  static func removed(from bytes: ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        result.append(byte)
        continue
      }
      let place = rest.startIndex
      switch rest.popFirst() {
      case UInt8(ascii: "n"): result.append(UInt8(ascii: "\n"))
      case UInt8(ascii: "r"): result.append(UInt8(ascii: "\r"))
      case UInt8(ascii: "t"): result.append(UInt8(ascii: "\t"))
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case let byte? where #""\/"#.utf8.contains(byte): result.append(byte)
      case UInt8(ascii: "u"):
        var units = [try unit(in: &rest)]
        if UTF16.isLeadSurrogate(units[0]), rest.starts(with: #"\u"#.utf8) {
          rest = rest.dropFirst(2)
          units.append(try unit(in: &rest))
        }
        guard let text = String(validating: units, as: UTF16.self) else {
          throw JSONTokenReader.fault("a character", at: place)
        }
        result += text.utf8
      default: throw JSONTokenReader.fault("an escape", at: place)
      }
    }
    return result[...]
  }

  private static func unit(in rest: inout ArraySlice<UInt8>) throws -> UInt16 {
    guard let unit = UInt16(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16) else {
      throw JSONTokenReader.fault("four hexadecimal digits", at: rest.startIndex)
    }
    rest = rest.dropFirst(4)
    return unit
  }
}
