import Foundation
import Transcripts

/// A value in the body of a request, with its path, which errors name.
struct RequestField {
  let content: GeneratedContent
  let path: String

  /// Reads a body, which must be a JSON object.
  static func body(_ bytes: some Collection<UInt8>) throws(OpenAIError) -> RequestField {
    // Repaired text would be another than the one that was sent.
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .invalid(nil, "The body is not valid UTF-8.")
    }
    let content: GeneratedContent
    do {
      content = try GeneratedContent(json: text)
    } catch {
      let problem = (error as? GeneratedContent.ParsingError)?.debugDescription ?? ""
      throw .invalid(nil, "The body is not JSON. \(problem)")
    }
    guard content.isComplete else { throw .invalid(nil, "The body is JSON that breaks off.") }
    guard case .structure = content.kind else {
      throw .invalid(nil, "The body is not a JSON object.")
    }
    return RequestField(content: content, path: "")
  }

  /// The names of the members that are not `null`.
  var names: [String] {
    guard case .structure(let properties, let keys) = content.kind else { return [] }
    return keys.filter { properties[$0].map { $0.kind != .null } ?? false }
  }

  /// Returns a member; `nil` if it is missing or `null`, which clients send for what is not set.
  subscript(name: String) -> RequestField? {
    guard case .structure(let properties, _) = content.kind, let member = properties[name],
      member.kind != .null
    else { return nil }
    return RequestField(content: member, path: path.isEmpty ? name : "\(path).\(name)")
  }

  func required(_ name: String) throws(OpenAIError) -> RequestField {
    guard let member = self[name] else {
      let whole = path.isEmpty ? name : "\(path).\(name)"
      throw .invalid(whole, "'\(whole)' is missing.")
    }
    return member
  }

  var isObject: Bool { if case .structure = content.kind { true } else { false } }

  var elements: [RequestField]? {
    guard case .array(let elements) = content.kind else { return nil }
    return elements.enumerated().map { place, element in
      RequestField(content: element, path: "\(path).\(place)")
    }
  }

  var text: String? { content.text }

  func string() throws(OpenAIError) -> String {
    guard let text else { throw wrong("a string") }
    return text
  }

  func bool() throws(OpenAIError) -> Bool {
    guard case .bool(let value) = content.kind else { throw wrong("true or false") }
    return value
  }

  /// Reads a whole number within bounds.
  func integer(in range: ClosedRange<Int>) throws(OpenAIError) -> Int {
    guard let value = try? Int(content), range.contains(value) else {
      throw wrong("a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  func number(in range: ClosedRange<Double>) throws(OpenAIError) -> Double {
    guard case .number(let value) = content.kind, range.contains(value) else {
      throw wrong("a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  func list() throws(OpenAIError) -> [RequestField] {
    guard let elements else { throw wrong("a list") }
    return elements
  }

  func object() throws(OpenAIError) -> RequestField {
    guard isObject else { throw wrong("an object") }
    return self
  }

  func wrong(_ expected: String) -> OpenAIError {
    .invalid(path, "'\(path)' must be \(expected).")
  }
}
