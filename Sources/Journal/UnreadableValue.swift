import GRDB

/// A brief description of why a value cannot be read.
struct UnreadableValue: CustomStringConvertible {
  let description: String

  init(_ error: any Error) {
    description =
      switch error {
      case let error as RowDecodingError: Self.words(error.description)
      case let error as DecodingError: Self.words(error.context.debugDescription)
      default: Self.words("\(error)")
      }
  }

  /// Formats a text as part of a sentence.
  private static func words(_ text: String) -> String {
    text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}

extension DecodingError {
  fileprivate var context: Context {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .keyNotFound(_, let context), .dataCorrupted(let context):
      context
    @unknown default: Context(codingPath: [], debugDescription: "it has an unexpected form")
    }
  }
}
