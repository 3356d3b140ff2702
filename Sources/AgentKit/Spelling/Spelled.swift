#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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

/// One for all values: to make one takes nearly as long as to encode a short value.
private let encoder = {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  return encoder
}()

extension Spelled where Self: Codable {
  /// The value as JSON with sorted keys.
  /// - Throws: Whatever its encoding throws.
  package func json() throws -> [UInt8] { try spelled() ?? Array(encoder.encode(self)) }

  /// Reads JSON.
  /// - Throws: Whatever its decoding throws.
  package init(json: [UInt8]) throws {
    self = try Self(spelled: json) ?? JSONDecoder().decode(Self.self, from: Data(json))
  }
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
