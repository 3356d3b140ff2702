/// A surrogate pair whose halves arrive in different pieces of a text.
///
/// Some servers cut their text between the two halves of a character that JSON escapes as `\ud83e`
/// and `\udd86`. No string can hold a half, so a half is marked until the other one arrives.
struct SplitPair {
  // The last private character, and then one of the first that says which half it is.
  private static let mark: Unicode.Scalar = "\u{10FFFD}"
  private static let firstMarked: UInt32 = 0x10_0000
  private static let halves: Range<UInt32> = 0xD800..<0xE000
  private static let firstLow: UInt32 = 0xDC00

  /// The marked first half at the end of what has arrived.
  private var held = ""

  /// Takes a piece and returns the text that is certain.
  mutating func take(_ piece: String) -> String {
    guard !held.isEmpty || piece.unicodeScalars.contains(Self.mark) else { return piece }
    var text = held + piece
    held = ""
    let end = Array(text.unicodeScalars.suffix(2))
    if end.count == 2, end[0] == Self.mark, let half = Self.half(end[1]), half < Self.firstLow {
      held.unicodeScalars.append(contentsOf: end)
      text.unicodeScalars.removeLast(2)
    }
    return Self.joined(text)
  }

  /// Returns what stands for the half that stayed alone, if one did.
  mutating func finish() -> String {
    defer { held = "" }
    return Self.joined(held)
  }

  /// Returns JSON text in which each half that stands alone is marked.
  static func marked(_ json: String) -> String {
    guard json.utf8.contains(UInt8(ascii: "\\")) else { return json }
    let bytes = Array(json.utf8)
    var result: [UInt8] = []
    var place = 0
    while place < bytes.count {
      guard bytes[place] == UInt8(ascii: "\\") else {
        result.append(bytes[place])
        place += 1
        continue
      }
      var length = 2
      if let half = escapedHalf(bytes[place...]) {
        length = 6
        let next = escapedHalf(bytes[(place + 6)...])
        if half < firstLow, let next, next >= firstLow {
          length = 12
        } else if let scalar = Unicode.Scalar(firstMarked + half - halves.lowerBound) {
          result += Array("\(mark)\(scalar)".utf8)
          place += length
          continue
        }
      }
      result += bytes[place..<min(place + length, bytes.count)]
      place += length
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns a text whose marked halves are joined or, where one stays alone, replaced.
  static func joined(_ text: String) -> String {
    guard text.unicodeScalars.contains(mark) else { return text }
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == mark, let high = rest.first.flatMap(half) else {
        result.append(scalar)
        continue
      }
      rest.removeFirst()
      let ahead = Array(rest.prefix(2))
      if high < firstLow, ahead.count == 2, ahead[0] == mark, let low = half(ahead[1]),
        low >= firstLow,
        let whole = Unicode.Scalar(0x10000 + (high - halves.lowerBound) << 10 + (low - firstLow))
      {
        result.append(whole)
        rest.removeFirst(2)
      } else {
        result.append("\u{FFFD}")
      }
    }
    return String(result)
  }

  /// Returns the half that a private character stands for.
  private static func half(_ scalar: Unicode.Scalar) -> UInt32? {
    guard scalar.value >= firstMarked else { return nil }
    let half = scalar.value - firstMarked + halves.lowerBound
    return halves.contains(half) ? half : nil
  }

  /// Returns the half that an escape at the beginning of some bytes stands for.
  private static func escapedHalf(_ bytes: ArraySlice<UInt8>) -> UInt32? {
    guard bytes.count >= 6, bytes.prefix(2).elementsEqual(#"\u"#.utf8) else { return nil }
    let digits = bytes.dropFirst(2).prefix(4)
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { return nil }
    return halves.contains(value) ? value : nil
  }
}
