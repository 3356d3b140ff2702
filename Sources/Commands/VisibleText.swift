// Characters that nobody sees, or that show others elsewhere than they are.

extension String {
  /// The text with all that nobody sees shown as its number, such as `\u{202E}`: what a person reads
  /// who decides about it is what there is.
  var withInvisiblesShown: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isInvisible {
        text += scalar.number
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  /// The text without what a terminal takes for commands, and with what moves other characters
  /// about shown as its number.
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
  /// How Swift writes it by its number.
  fileprivate var number: String { "\\u{\(String(value, radix: 16, uppercase: true))}" }

  /// Whether it has no look of its own: a control, a joiner, a tag, a variation selector, a filler.
  fileprivate var isInvisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: properties.isDefaultIgnorableCodePoint
    }
  }

  /// Whether it has those after it shown in another order: an embedding, an override, an isolate.
  fileprivate var movesOthers: Bool {
    switch value {
    case 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
