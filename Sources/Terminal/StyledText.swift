import Foundation
import Synchronization

/// How a text stands out on a terminal.
package struct Style: OptionSet, Sendable, Hashable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  package static let bold = Style(rawValue: 1 << 0)
  package static let dim = Style(rawValue: 1 << 1)
  package static let reversed = Style(rawValue: 1 << 2)
  package static let red = Style(rawValue: 1 << 3)
  package static let green = Style(rawValue: 1 << 4)
  package static let yellow = Style(rawValue: 1 << 5)

  /// The sequence with which a terminal begins the style.
  var sequence: String {
    let codes: [(Style, Int)] = [
      (.bold, 1), (.dim, 2), (.reversed, 7), (.red, 31), (.green, 32), (.yellow, 33),
    ]
    let numbers = codes.filter { contains($0.0) }.map { "\($0.1)" }
    return "\u{1B}[\(numbers.joined(separator: ";"))m"
  }

  static let end = "\u{1B}[0m"
}

/// Whether output has styles.
package enum ColorChoice: String, CaseIterable, Sendable {
  /// On a terminal, unless `NO_COLOR` is set.
  case auto
  case always, never

  /// What this process was told.
  package static var current: ColorChoice {
    get { given.withLock { $0 } }
    set { given.withLock { $0 = newValue } }
  }

  private static let given = Mutex(ColorChoice.auto)

  func isStyled(isTerminal: Bool, _ environment: [String: String]) -> Bool {
    switch self {
    case .always: true
    case .never: false
    case .auto:
      isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }
  }

  package static func isStyled(_ descriptor: Int32) -> Bool {
    current.isStyled(isTerminal: isatty(descriptor) == 1, ProcessInfo.processInfo.environment)
  }
}

package struct StyledText: Sendable, Equatable {
  private struct Piece: Sendable, Equatable {
    var text: String
    var style: Style
  }

  private var pieces: [Piece] = []

  package init() {}

  package init(_ text: String, _ style: Style = []) { append(text, style) }

  package mutating func append(_ text: String, _ style: Style = []) {
    guard !text.isEmpty else { return }
    guard let last = pieces.last, last.style == style else {
      return pieces.append(Piece(text: text, style: style))
    }
    pieces[pieces.count - 1].text += text
  }

  package mutating func append(_ text: StyledText) {
    for piece in text.pieces { append(piece.text, piece.style) }
  }

  package var text: String { pieces.map(\.text).joined() }

  package var columns: Int { pieces.reduce(0) { $0 + $1.text.columns } }

  package func styled(_ style: Style) -> StyledText {
    var text = self
    for place in text.pieces.indices { text.pieces[place].style.formUnion(style) }
    return text
  }

  /// Returns as much of the beginning as fits into columns, with a mark where more follows.
  package func fitted(to columns: Int) -> StyledText {
    guard self.columns > columns else { return self }
    var (left, text) = (columns - 1, StyledText())
    for piece in pieces where left > 0 {
      let part = piece.text.prefix(columns: left)
      text.append(part, piece.style)
      left = part.count == piece.text.count ? left - part.columns : 0
    }
    text.append("…")
    return text
  }

  /// Returns what a terminal is sent.
  ///
  /// The texts themselves cannot control it.
  package func rendered(isStyled: Bool) -> String {
    pieces.reduce(into: "") { all, piece in
      let text = piece.text.forTerminal
      all += isStyled && !piece.style.isEmpty ? piece.style.sequence + text + Style.end : text
    }
  }
}
