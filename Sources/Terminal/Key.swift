package enum Key: Sendable, Equatable {
  case character(Character)
  case up, down, pageUp, pageDown, home, end
  case enter, escape, backspace
}

/// Finds the keys in what a terminal sends.
package struct KeyDecoder: Sendable {
  /// The beginning of a key of which more is to come.
  private var rest: [UInt8] = []

  package init() {}

  /// Returns the keys that are complete.
  ///
  /// A terminal sends a key in one piece, so an escape that ends a piece is the key of that name.
  package mutating func keys(in piece: [UInt8]) -> [Key] {
    var bytes = (rest + piece)[...]
    rest = []
    var keys: [Key] = []
    while let first = bytes.first {
      if first == 0x1B {
        guard bytes.count > 1 else {
          keys.append(.escape)
          break
        }
        guard let sequence = Self.sequence(&bytes) else {
          // One that never ends is no key.
          if bytes.count < 16 { rest = Array(bytes) }
          break
        }
        if let key = Self.meaning[sequence] { keys.append(key) }
        continue
      }
      let length = Self.length(of: first)
      guard bytes.count >= length else {
        rest = Array(bytes)
        break
      }
      let text = String(decoding: bytes.prefix(length), as: UTF8.self)
      bytes = bytes.dropFirst(length)
      switch first {
      case 0x0D, 0x0A: keys.append(.enter)
      case 0x08, 0x7F: keys.append(.backspace)
      case ..<0x20: break
      default: if let character = text.first { keys.append(.character(character)) }
      }
    }
    return keys
  }

  /// Takes a sequence from the beginning, without its escape; `nil` when it is not complete.
  private static func sequence(_ bytes: inout ArraySlice<UInt8>) -> String? {
    let body = bytes.dropFirst()
    guard let kind = body.first else { return nil }
    var end = body.startIndex
    if kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") {
      // Parameters, and then a byte that ends them.
      let parameters = body.dropFirst()
      guard let last = parameters.firstIndex(where: { (0x40...0x7E).contains($0) }) else {
        return nil
      }
      end = last
    }
    let sequence = String(decoding: bytes[body.startIndex...end], as: UTF8.self)
    bytes = bytes[(end + 1)...]
    return sequence
  }

  private static let meaning: [String: Key] = [
    "[A": .up, "OA": .up, "[B": .down, "OB": .down, "[5~": .pageUp, "[6~": .pageDown,
    "[H": .home, "OH": .home, "[1~": .home, "[7~": .home,
    "[F": .end, "OF": .end, "[4~": .end, "[8~": .end,
  ]

  /// How many bytes a character takes that begins with this one.
  private static func length(of first: UInt8) -> Int {
    switch first {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }
}
