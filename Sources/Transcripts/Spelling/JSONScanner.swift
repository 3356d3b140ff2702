/// A scanner that reads JSON in its expected spelling, piece by piece.
///
/// If the spelling differs, a piece is `nil` or false, and another reader must read the whole text.
package struct JSONScanner {
  private let bytes: [UInt8]
  private var index = 0

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package var isAtEnd: Bool { index == bytes.count }

  /// Takes a fixed text.
  ///
  /// - Parameter text: The text.
  /// - Returns: Whether the text was there.
  package mutating func take(_ text: StaticString) -> Bool {
    let isThere = text.withUTF8Buffer { text in
      bytes.count - index >= text.count
        && bytes[index..<index + text.count].elementsEqual(text)
    }
    if isThere { index += text.utf8CodeUnitCount }
    return isThere
  }

  package mutating func integer() -> Int? {
    let digits = takeAll { $0 == UInt8(ascii: "-") || 0x30...0x39 ~= $0 }
    guard let number = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
    // Each number has only one accepted spelling.
    return String(number).utf8.elementsEqual(digits) ? number : nil
  }

  package mutating func number() -> Double? {
    let digits = takeAll { 0x30...0x39 ~= $0 || "-+.e".utf8.contains($0) }
    guard let number = Double(String(decoding: digits, as: UTF8.self)) else { return nil }
    var speller = JSONSpeller()
    return speller.write(number) && speller.bytes.elementsEqual(digits) ? number : nil
  }

  private mutating func takeAll(where belongs: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let taken = bytes[index...].prefix(while: belongs)
    index = taken.endIndex
    return taken
  }

  package mutating func string() -> String? {
    guard take("\"") else { return nil }
    let start = index
    var hasEscapes = false
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        let text = bytes[start..<index]
        index += 1
        return hasEscapes ? Self.unescaped(text) : String(validating: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard bytes.count - index >= 2 else { return nil }
        hasEscapes = true
        index += 2
      case 0x00..<0x20: return nil
      default: index += 1
      }
    }
    return nil
  }

  private static func unescaped(_ text: ArraySlice<UInt8>) -> String? {
    var unescaped: [UInt8] = []
    unescaped.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        unescaped.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "b"): unescaped.append(0x08)
      case UInt8(ascii: "t"): unescaped.append(0x09)
      case UInt8(ascii: "n"): unescaped.append(0x0A)
      case UInt8(ascii: "f"): unescaped.append(0x0C)
      case UInt8(ascii: "r"): unescaped.append(0x0D)
      case UInt8(ascii: "\""): unescaped.append(0x22)
      case UInt8(ascii: "\\"): unescaped.append(0x5C)
      case UInt8(ascii: "u"):
        // Only control characters are written in this form.
        let digits = rest.prefix(4)
        guard digits.count == 4, digits.starts(with: "00".utf8),
          let control = UInt8(String(decoding: digits, as: UTF8.self), radix: 16),
          control < 0x20
        else { return nil }
        rest = rest.dropFirst(4)
        unescaped.append(control)
      default: return nil
      }
    }
    return String(validating: unescaped, as: UTF8.self)
  }
}
