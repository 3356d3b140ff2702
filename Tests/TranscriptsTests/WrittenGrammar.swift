/// A pattern in llama.cpp's terms, read as llama.cpp reads it: character by character.
indirect enum WrittenGrammar {
  case one([ClosedRange<UInt32>], isNegated: Bool)
  case sequence([WrittenGrammar])
  case choice([WrittenGrammar])
  case repetition(WrittenGrammar, Int, Int?)

  struct Fault: Error { let rest: String }

  init(_ text: String) throws {
    var reader = Reader(rest: Array(text.unicodeScalars)[...])
    self = try reader.choice()
    guard reader.rest.isEmpty else { throw reader.fault }
  }

  private struct Reader {
    var rest: ArraySlice<Unicode.Scalar>

    var fault: Fault { Fault(rest: String(String.UnicodeScalarView(rest))) }

    mutating func choice() throws -> WrittenGrammar {
      var choices: [[WrittenGrammar]] = [[]]
      while let next = rest.first, next != ")" {
        rest.removeFirst()
        switch next {
        case "|": choices.append([])
        case "(":
          choices[choices.count - 1].append(try choice())
          guard rest.popFirst() == ")" else { throw fault }
        case "[": choices[choices.count - 1].append(try set())
        case "*", "+", "?", "{":
          guard let last = choices[choices.count - 1].popLast() else { throw fault }
          choices[choices.count - 1].append(try repetition(of: last, by: next))
        case ".", "]", "}", "^", "$": throw fault
        default:
          let value = next == "\\" ? try escaped(alsoSpecial: true) : next.value
          choices[choices.count - 1].append(.one([value...value], isNegated: false))
        }
      }
      return .choice(choices.map(WrittenGrammar.sequence))
    }

    private mutating func repetition(
      of last: WrittenGrammar,
      by sign: Unicode.Scalar
    ) throws -> WrittenGrammar {
      switch sign {
      case "*": return .repetition(last, 0, nil)
      case "+": return .repetition(last, 1, nil)
      case "?": return .repetition(last, 0, 1)
      default:
        let end = rest.firstIndex(of: "}") ?? rest.endIndex
        let counts = String(String.UnicodeScalarView(rest[..<end]))
          .split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        rest = rest[end...].dropFirst()
        guard let least = counts[0] else { throw fault }
        return .repetition(last, least, counts.count == 1 ? least : counts[1])
      }
    }

    private mutating func set() throws -> WrittenGrammar {
      let isNegated = rest.first == "^"
      if isNegated { rest.removeFirst() }
      var ranges: [ClosedRange<UInt32>] = []
      while let next = rest.popFirst(), next != "]" {
        let first = next == "\\" ? try escaped() : next.value
        guard rest.first == "-" else {
          ranges.append(first...first)
          continue
        }
        rest.removeFirst()
        guard let end = rest.popFirst() else { throw fault }
        let last = end == "\\" ? try escaped() : end.value
        guard first <= last else { throw fault }
        ranges.append(first...last)
      }
      return .one(ranges, isNegated: isNegated)
    }

    private mutating func escaped(alsoSpecial: Bool = false) throws -> UInt32 {
      guard let next = rest.popFirst() else { throw fault }
      switch next {
      case "n": return 10
      case "r": return 13
      case "t": return 9
      case "\\", "\"", "[", "]", "-": return next.value
      case "x":
        let digits = String(String.UnicodeScalarView(rest.prefix(2)))
        rest = rest.dropFirst(2)
        guard let value = UInt32(digits, radix: 16) else { throw fault }
        return value
      case _ where alsoSpecial && "^$.[]()|{}*+?".unicodeScalars.contains(next): return next.value
      default: throw fault
      }
    }
  }
}

extension WrittenGrammar {
  func accepts(_ text: String) -> Bool {
    let scalars = text.unicodeScalars.map(\.value)
    return ends(in: scalars, from: [0]).contains(scalars.count)
  }

  private func ends(in text: [UInt32], from starts: Set<Int>) -> Set<Int> {
    switch self {
    case .one(let ranges, let isNegated):
      return Set(
        starts.filter { start in
          start < text.count && ranges.contains { $0.contains(text[start]) } != isNegated
        }.map { $0 + 1 }
      )
    case .sequence(let parts): return parts.reduce(starts) { $1.ends(in: text, from: $0) }
    case .choice(let parts):
      return parts.reduce(into: []) { $0.formUnion($1.ends(in: text, from: starts)) }
    case .repetition(let part, let least, let most):
      var (current, result) = (starts, least == 0 ? starts : [])
      var count = 0
      while count < most ?? .max, !current.isEmpty {
        count += 1
        current = part.ends(in: text, from: current)
        if count >= least {
          if current.isSubset(of: result) { break }
          result.formUnion(current)
        }
      }
      return result
    }
  }

  func randomText(using generator: inout Seeded) -> String {
    var text = String.UnicodeScalarView()
    append(to: &text, using: &generator)
    return String(text)
  }

  private func append(to text: inout String.UnicodeScalarView, using generator: inout Seeded) {
    switch self {
    case .one(let ranges, let isNegated):
      text.append(Self.scalar(of: ranges, isNegated: isNegated, using: &generator))
    case .sequence(let parts): for part in parts { part.append(to: &text, using: &generator) }
    case .choice(let parts):
      parts.randomElement(using: &generator)?.append(to: &text, using: &generator)
    case .repetition(let part, let least, let most):
      let count = Int.random(in: least...min(most ?? .max, least + 3), using: &generator)
      for _ in 0..<count { part.append(to: &text, using: &generator) }
    }
  }

  private static func scalar(
    of ranges: [ClosedRange<UInt32>],
    isNegated: Bool,
    using generator: inout Seeded
  ) -> Unicode.Scalar {
    while true {
      // Of a negated class, mostly what is well known.
      let value =
        isNegated
        ? UInt32.random(
          in: 0...(Bool.random(using: &generator) ? 0x17F : 0x10FFFF),
          using: &generator
        )
        : UInt32.random(in: ranges.randomElement(using: &generator) ?? 0...0, using: &generator)
      if ranges.contains(where: { $0.contains(value) }) != isNegated,
        let scalar = Unicode.Scalar(value)
      {
        return scalar
      }
    }
  }
}
