package import Transcripts

/// The identifier of a request, exactly as its sender wrote it.
///
/// An answer carries the identifier of its request unchanged, so the number `1` and the string `"1"`
/// differ, and so do `1` and `1.0`.
package enum JSONRPCID: Sendable, Hashable {
  case string(String)
  /// A number in the digits in which it was written.
  case number(String)

  package init(_ number: Int) {
    self = .number(String(number))
  }

  /// Creates an identifier from a member of a message; `nil` if it is neither a string nor a number.
  package init?(_ content: GeneratedContent) {
    switch content.kind {
    case .string(let text): self = .string(text)
    case .number:
      guard let number = content.number else { return nil }
      self = .number(number.text)
    case .null, .bool, .array, .structure: return nil
    }
  }

  package var content: GeneratedContent {
    switch self {
    case .string(let text): GeneratedContent(kind: .string(text))
    case .number(let digits): GeneratedContent(number: JSONNumber(written: digits))
    }
  }
}
