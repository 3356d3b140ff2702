#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ChatCompletionsLanguageModel {
  /// What a server says is wrong.
  public struct APIError: Error, Sendable, Equatable {
    /// The status of the response; `nil` for an error in the middle of an answer.
    public var statusCode: Int?
    /// The server's own words.
    public var message: String
    /// The kind of error, where the server names one.
    public var type: String?
    /// The field of the request that it is about, where the server names one.
    public var param: String?
    /// The server's code for it, where it has one.
    public var code: String?

    /// Makes an error.
    public init(
      statusCode: Int? = nil,
      message: String,
      type: String? = nil,
      param: String? = nil,
      code: String? = nil
    ) {
      self.statusCode = statusCode
      self.message = message
      self.type = type
      self.param = param
      self.code = code
    }
  }

  /// Why a server did not answer a request.
  public enum RequestError: Error, Sendable, Equatable {
    /// The request cannot be made.
    case invalidRequest(String)
    /// There is no connection to the server.
    case notConnected(String)
    /// The server sent what is no answer, or less than a whole one.
    case invalidStreamData(String)
    /// The server refused, in a form that nothing is known of.
    case httpError(statusCode: Int, data: Data)
  }
}

extension ChatCompletionsLanguageModel.APIError: LocalizedError, CustomStringConvertible {
  /// What happened, and what can be done about it where that is known.
  public var description: String {
    Self.sentence(statusCode, message)
  }

  fileprivate static func sentence(_ statusCode: Int?, _ message: String) -> String {
    let status = statusCode.map { " (\($0))" } ?? ""
    let advice =
      switch statusCode {
      case 301?, 302?, 307?, 308?: " It redirects requests: check the address of the server."
      case 401?, 403?: " Check the key of this server."
      case 404?: " Check the address of the server and the name of the model."
      default: ""
      }
    return "The server refused the request\(status): \(message.withFullStop)\(advice)"
  }

  /// What happened.
  public var errorDescription: String? { description }
}

extension ChatCompletionsLanguageModel.RequestError: LocalizedError, CustomStringConvertible {
  private static func words(of body: Data) -> String {
    let text = String(decoding: body.prefix(400), as: UTF8.self)
    return text.contains { !$0.isWhitespace } ? text : "no reason was given"
  }

  /// What happened.
  public var description: String {
    switch self {
    case .invalidRequest(let problem): problem
    case .notConnected(let problem): "Cannot connect to the server: \(problem)."
    case .invalidStreamData(let problem): "The server's answer cannot be used: \(problem)."
    case .httpError(let statusCode, let data):
      ChatCompletionsLanguageModel.APIError.sentence(statusCode, Self.words(of: data))
    }
  }

  /// What happened.
  public var errorDescription: String? { description }
}
