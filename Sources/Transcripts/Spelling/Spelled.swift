#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A value that is encoded and decoded by hand in its common form, and by Foundation's coders
/// otherwise.
///
/// Every step of an agent is encoded and decoded several times on its way through two processes and
/// into the journal, and Foundation's coders take longer for that than the rest of the step. The
/// handwritten output equals byte for byte that of `JSONEncoder` with sorted keys and unescaped
/// slashes, and the handwritten reader accepts nothing else.
package protocol Spelled {
  /// Writes the value.
  ///
  /// - Parameter speller: The writer.
  /// - Returns: Whether the value has the common form; if not, the output is useless.
  func spell(to speller: inout JSONSpeller) -> Bool

  /// Reads a value, or returns `nil` if it is spelled in any other way.
  static func read(from scanner: inout JSONScanner) -> Self?
}

/// The shared encoder, because creating one takes nearly as long as encoding a short value.
private let encoder = {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  return encoder
}()

extension Spelled where Self: Codable {
  /// Returns the value as JSON with sorted keys.
  ///
  /// - Throws: The errors of its encoding.
  package func json() throws -> [UInt8] { try spelled() ?? Array(encoder.encode(self)) }

  /// Decodes a value from JSON.
  ///
  /// - Parameter json: The JSON.
  /// - Throws: The errors of its decoding.
  package init(json: [UInt8]) throws {
    self = try Self(spelled: json) ?? JSONDecoder().decode(Self.self, from: Data(json))
  }
}

extension Spelled {
  /// Returns the value as JSON, or `nil` if it does not have the common form.
  package func spelled() -> [UInt8]? {
    var speller = JSONSpeller()
    return spell(to: &speller) ? speller.bytes : nil
  }

  /// Decodes a value from JSON; `nil` if it is spelled in any other way or something follows it.
  package init?(spelled bytes: [UInt8]) {
    var scanner = JSONScanner(bytes)
    guard let value = Self.read(from: &scanner), scanner.isAtEnd else { return nil }
    self = value
  }
}

extension JSONSpeller {
  /// Writes an array.
  ///
  /// - Parameter elements: The elements.
  /// - Returns: Whether all elements have the common form.
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
  /// Reads an array.
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
