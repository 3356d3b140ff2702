package import Foundation
import Transcripts

/// One thing that took time in a turn, as receivers of traces know it.
package struct Span: Sendable, Equatable {
  package var trace: TraceID
  package var id: SpanID
  /// `nil` for the root of a trace.
  package var parent: SpanID?
  package var name: String
  package var kind = Kind.internal
  package var start: Date
  package var end: Date
  package var attributes: [Attribute] = []
  package var events: [Event] = []
  package var links: [SpanID] = []
  /// Why it failed; `nil` if it did not.
  package var failure: Failure?
  /// The trace flags of the caller; bit 0 says that it is recorded.
  package var flags: UInt8 = 1

  package enum Kind: Int, Sendable {
    case `internal` = 1
    case client = 3
  }

  /// Something that happened during the span.
  package struct Event: Sendable, Equatable {
    package var name: String
    package var at: Date
    package var attributes: [Attribute] = []
  }

  /// A failure: a word of a small vocabulary, and the reason in words.
  package struct Failure: Sendable, Equatable {
    package var kind: String
    package var reason: String
  }

  package subscript(_ name: String) -> Attribute.Value? {
    attributes.first { $0.name == name }?.value
  }

  package var seconds: Double { end.timeIntervalSince(start) }
}

/// A named property of a span, an event or a resource.
package struct Attribute: Sendable, Equatable {
  package enum Value: Sendable, Equatable {
    case string(String)
    case bool(Bool)
    case int(Int)
    case double(Double)
    case strings([String])
  }

  package var name: String
  package var value: Value

  package init(_ name: String, _ value: Value) { (self.name, self.value) = (name, value) }
}

extension Attribute.Value {
  package var string: String? { if case .string(let value) = self { value } else { nil } }
  package var int: Int? { if case .int(let value) = self { value } else { nil } }
  package var double: Double? { if case .double(let value) = self { value } else { nil } }
}

extension [Attribute] {
  mutating func set(_ name: String, _ value: Attribute.Value) {
    removeAll { $0.name == name }
    append(Attribute(name, value))
  }

  /// Sets a text, unless there is none.
  mutating func set(_ name: String, _ text: String?) {
    if let text { set(name, .string(text)) }
  }

  /// Sets a number, unless there is none.
  mutating func set(_ name: String, _ number: (some BinaryInteger)?) {
    if let number { set(name, .int(Int(number))) }
  }

  /// Roughly the memory that they take, in bytes.
  var size: Int {
    reduce(0) { sum, attribute in
      let bytes =
        switch attribute.value {
        case .string(let text): text.utf8.count
        case .strings(let texts): texts.reduce(0) { $0 + $1.utf8.count + 16 }
        case .bool, .int, .double: 0
        }
      return sum + bytes + attribute.name.utf8.count + 48
    }
  }
}

extension [Span.Event] {
  mutating func add(_ name: String, at date: Date, _ attributes: [Attribute] = []) {
    append(Span.Event(name: name, at: date, attributes: attributes))
  }
}

extension Span {
  /// Roughly the memory that it takes, in bytes.
  package var size: Int {
    attributes.size + events.reduce(256) { $0 + $1.attributes.size + $1.name.utf8.count + 48 }
  }
}

extension String {
  /// The text without what exceeds a number of bytes.
  func bounded(toBytes limit: Int) -> String {
    guard utf8.count > limit else { return self }
    let mark = "…"
    return beginning(bytes: max(0, limit - mark.utf8.count)) + mark
  }
}
