public import PlatformLibraries

extension ChatCompletionsLanguageModel {
  /// An error reported by a server.
  public struct APIError: Error, Sendable, Equatable {
    /// The status of the response, or `nil` for an error in the middle of an answer.
    public var statusCode: Int?
    /// The server's own message.
    public var message: String
    /// The kind of error, if the server names one.
    public var type: String?
    /// The field of the request that caused the error, if the server names one.
    public var param: String?
    /// The server's error code, if it gives one.
    public var code: String?

    /// Creates an error.
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

  /// An error that says why a server did not answer a request.
  public enum RequestError: Error, Sendable, Equatable {
    /// The request cannot be made.
    case invalidRequest(String)
    /// There is no connection to the server.
    case notConnected(String)
    /// The server sent something other than an answer, or an incomplete one.
    case invalidStreamData(String)
    /// The server refused the request in an unknown format.
    case httpError(statusCode: Int, data: Data)
  }
}

extension ChatCompletionsLanguageModel.APIError: LocalizedError, CustomStringConvertible {
  /// A description of the error, and of what can be done about it if that is known.
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

  /// A description of the error.
  public var errorDescription: String? { description }
}

extension ChatCompletionsLanguageModel.RequestError: LocalizedError, CustomStringConvertible {
  private static func words(of body: Data) -> String {
    let text = String(decoding: body.prefix(400), as: UTF8.self)
    return text.contains { !$0.isWhitespace } ? text : "no reason was given"
  }

  /// A description of the error.
  public var description: String {
    switch self {
    case .invalidRequest(let problem): problem
    case .notConnected(let problem): "Cannot connect to the server: \(problem)."
    case .invalidStreamData(let problem): "The server's answer cannot be used: \(problem)."
    case .httpError(let statusCode, let data):
      ChatCompletionsLanguageModel.APIError.sentence(statusCode, Self.words(of: data))
    }
  }

  /// A description of the error.
  public var errorDescription: String? { description }
}
