import Coordination
import Foundation

/// Why the body of a request is rejected.
package struct InvalidBody: CodedError, Equatable {
  package let description: String
  package var code: ErrorCode { .invalidRequest }

  init(_ description: String) { self.description = description }

  /// Describes what is wrong with JSON that could not be decoded.
  /// - Parameter form: What was expected, as the start of a sentence.
  init(of error: any Error, in body: Data, _ form: String) {
    self.init("\(form); \(Self.problem(error, in: body)).")
  }

  private static func problem(_ error: any Error, in body: Data) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    switch error {
    case .keyNotFound(let key, let context):
      return "'\(path(context.codingPath + [key]))' is missing"
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      guard !context.codingPath.isEmpty else { return "this is not" }
      return "'\(path(context.codingPath))' is not of type \(type)"
    case .dataCorrupted(let context):
      // Foundation also reports this for a number that does not fit.
      guard !context.codingPath.isEmpty else {
        return isJSON(body) ? "a number in it is not valid" : "this is not"
      }
      return "'\(path(context.codingPath))' is not valid"
    @unknown default: return "this is not"
    }
  }

  private static func isJSON(_ body: Data) -> Bool {
    (try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed)) != nil
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
  }
}

extension Decoder {
  /// Rejects unknown fields: a misspelled one must not count as omitted.
  /// - Throws: `InvalidBody`, which names one of them and the known fields.
  func refuseFields<Key: CodingKey & CaseIterable>(beside _: Key.Type) throws {
    let known = Key.allCases.map(\.stringValue)
    let given = try container(keyedBy: AnyName.self).allKeys.map(\.stringValue)
    guard let stranger = given.filter({ !known.contains($0) }).min() else { return }
    throw InvalidBody(
      "There is no field named '\(stranger)'. Available fields: \(known.joined(separator: ", "))."
    )
  }
}
