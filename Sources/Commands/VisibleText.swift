// Characters that are invisible or that display others out of order.

extension String {
  /// The text with invisible characters shown as numbers, such as `\u{202E}`.
  ///
  /// A person who decides on it thus reads what is really there.
  var withInvisiblesShown: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isInvisible {
        text += scalar.number
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  /// The text without control characters, and with those that reorder others shown as numbers.
  var forTerminal: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.movesOthers {
        text += scalar.number
      } else if scalar == "\n" || scalar == "\t" || scalar.properties.generalCategory != .control {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  /// The scalar by number, in Swift notation.
  fileprivate var number: String { "\\u{\(String(value, radix: 16, uppercase: true))}" }

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
