// Characters that are invisible or that display others out of order.

extension String {
  /// The text with invisible characters shown as numbers, such as `\u{202E}`.
  ///
  /// A person who decides on it thus reads what is really there.
  package var withInvisiblesShown: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isInvisible {
        text += scalar.number
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  /// The text without control characters, and with those that reorder others shown as numbers.
  package var forTerminal: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.movesOthers {
        text += scalar.number
      } else if scalar == "\n" || scalar == "\t" || scalar.properties.generalCategory != .control {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  /// JSON without characters that control a terminal or reorder others, and of the same meaning.
  ///
  /// An encoder escapes only the controls below the space. The others stand in strings, where JSON
  /// may have any character by its number.
  package var jsonForTerminal: String {
    guard unicodeScalars.contains(where: \.isBareInJSON) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isBareInJSON {
        text += scalar.jsonNumber
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  /// The scalar by number, in Swift notation.
  fileprivate var number: String { "\\u{\(String(value, radix: 16, uppercase: true))}" }

  /// The scalar by number, in JSON's notation: one above U+FFFF in two halves.
  fileprivate var jsonNumber: String {
    utf16.reduce(into: "") { text, unit in
      let digits = String(unit, radix: 16)
      text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }

  /// Whether JSON may contain it unescaped, and a terminal would obey it.
  fileprivate var isBareInJSON: Bool { (0x7F...0x9F).contains(value) || movesOthers }

  /// Whether it has no appearance of its own, like a control, joiner, tag, variation selector,
  /// filler.
  fileprivate var isInvisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: properties.isDefaultIgnorableCodePoint
    }
  }

  /// Whether it reorders the scalars after it, as an embedding, override or isolate does.
  fileprivate var movesOthers: Bool {
    switch value {
    case 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
