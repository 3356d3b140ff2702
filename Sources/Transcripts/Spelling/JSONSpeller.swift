/// A writer of JSON, piece by piece, with the output of Foundation's encoder.
package struct JSONSpeller {
  package private(set) var bytes: [UInt8] = []

  package init() {
    bytes.reserveCapacity(512)
  }

  /// Writes a fixed text.
  package mutating func write(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  package mutating func write(_ number: Int) {
    bytes.append(contentsOf: String(number).utf8)
  }

  /// Writes a number.
  ///
  /// - Parameter number: The number.
  /// - Returns: Whether the number is finite and could be written.
  package mutating func write(_ number: Double) -> Bool {
    guard number.isFinite else { return false }
    let digits = number.description.utf8
    bytes.append(
      contentsOf: digits.suffix(2).elementsEqual(".0".utf8) ? digits.dropLast(2) : digits[...]
    )
    return true
  }

  package mutating func write(string: String) {
    var string = string
    write("\"")
    string.withUTF8 { text in
      // Characters that need no escape are copied in one piece.
      var start = 0
      for (index, byte) in text.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
        bytes.append(contentsOf: text[start..<index])
        start = index + 1
        escape(byte)
      }
      bytes.append(contentsOf: text[start...])
    }
    write("\"")
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case 0x08: write(#"\b"#)
    case 0x09: write(#"\t"#)
    case 0x0A: write(#"\n"#)
    case 0x0C: write(#"\f"#)
    case 0x0D: write(#"\r"#)
    case 0x22: write(#"\""#)
    case 0x5C: write(#"\\"#)
    default:
      write(byte < 0x10 ? #"\u000"# : #"\u00"#)
      bytes.append(contentsOf: String(byte, radix: 16).utf8)
    }
  }
}
