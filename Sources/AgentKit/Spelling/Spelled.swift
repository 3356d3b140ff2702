/// What is written and read by hand where it is of a common kind, and by Foundation's coders otherwise.
///
/// Every step of an agent is written and read several times on its way through two processes and into
/// the journal. Foundation's coders take longer for that than all the rest of the step. What is written
/// here is byte for byte what `JSONEncoder` writes with sorted keys and slashes as they are, and what is
/// read is nothing else.
package protocol Spelled {
  /// Writes the value.
  /// - Returns: Whether it is of a common kind; where it is not, what was written is worth nothing.
  func spell(to speller: inout JSONSpeller) -> Bool

  /// Reads a value; `nil` where it is spelled in any other way.
  static func read(from scanner: inout JSONScanner) -> Self?
}

extension Spelled {
  /// The value as JSON; `nil` where it is of no common kind.
  package func spelled() -> [UInt8]? {
    var speller = JSONSpeller()
    return spell(to: &speller) ? speller.bytes : nil
  }

  /// Reads JSON; `nil` where it is spelled in any other way, or something follows.
  package init?(spelled bytes: [UInt8]) {
    var scanner = JSONScanner(bytes)
    guard let value = Self.read(from: &scanner), scanner.isAtEnd else { return nil }
    self = value
  }
}

extension JSONSpeller {
  /// Writes a list.
  /// - Returns: Whether all of its elements are of a common kind.
  package mutating func write<Element: Spelled>(_ elements: some Sequence<Element>) -> Bool {
    var isFirst = true
    write("[")
    for element in elements {
      if !isFirst { write(",") }
      isFirst = false
      guard element.spell(to: &self) else { return false }
    }
    write("]")
    return true
  }
}

extension JSONSpeller {
  /// Writes what a request to a model took, as it is said and as it is journaled.
  /// - Returns: Whether the times are numbers.
  package mutating func writeRequest(
    tokens: (in: Int, cached: Int, out: Int),
    contextSize: Int?,
    secondsToFirstToken: Double,
    seconds: Double
  ) -> Bool {
    write("{")
    if let contextSize {
      write(#""contextSize":"#)
      write(contextSize)
      write(",")
    }
    write(#""seconds":"#)
    guard write(seconds) else { return false }
    write(#","secondsToFirstToken":"#)
    guard write(secondsToFirstToken) else { return false }
    write(#","tokensCached":"#)
    write(tokens.cached)
    write(#","tokensIn":"#)
    write(tokens.in)
    write(#","tokensOut":"#)
    write(tokens.out)
    write("}")
    return true
  }
}

extension JSONScanner {
  /// Reads a list.
  package mutating func list<Element: Spelled>(of type: Element.Type) -> [Element]? {
    guard take("[") else { return nil }
    if take("]") { return [] }
    var elements: [Element] = []
    repeat {
      guard let element = Element.read(from: &self) else { return nil }
      elements.append(element)
    } while take(",")
    return take("]") ? elements : nil
  }
}

extension Int: Spelled {
  package func spell(to speller: inout JSONSpeller) -> Bool {
    speller.write(self)
    return true
  }

  package static func read(from scanner: inout JSONScanner) -> Int? { scanner.integer() }
}
