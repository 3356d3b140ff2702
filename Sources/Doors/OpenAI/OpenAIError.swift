import Coordinator
import Foundation
import HTTPTypes
import Transcripts

/// An error as OpenAI's clients read it.
struct OpenAIError: Error, Equatable, Sendable {
  var status: Int
  var code: String
  var message: String
  /// The parameter at fault, as a path such as `messages.0.content`.
  var param: String?
  /// The seconds after which to try again.
  var retryAfter: Int?
  /// Whether a client that tries again would run the effects of a turn twice.
  var runsTwice = false

  init(_ status: Int, _ code: String, _ message: String, param: String? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.param = param
  }

  static func invalid(_ param: String?, _ message: String) -> OpenAIError {
    OpenAIError(400, "invalid_request", message, param: param)
  }

  static func unsupported(_ param: String, _ message: String) -> OpenAIError {
    OpenAIError(400, "unsupported_parameter", message, param: param)
  }

  static func notFound(_ kind: String, _ message: String, param: String? = nil) -> OpenAIError {
    OpenAIError(404, "\(kind)_not_found", message, param: param)
  }

  /// Interprets any error that the service threw before a prompt was accepted.
  init(_ error: any Error) {
    if let error = error as? OpenAIError {
      self = error
      return
    }
    let error = ServiceError(error)
    self.init(error.code.httpStatus, error.code.rawValue, error.message)
    switch error.code {
    case .unauthorized: code = "invalid_api_key"
    case .forbidden: code = "origin_not_allowed"
    case .noSuchAgent: (code, param) = ("model_not_found", "model")
    case .tooLarge, .headerTooLarge: code = "request_too_large"
    // The Python client tries a 422 no more often than a 400, and knows the latter better.
    case .unusableData: (status, code) = (400, "invalid_image")
    case .tooManyRequests: (code, retryAfter) = ("session_busy", 5)
    // The Python client would send a 409 again.
    case .conflict: status = 400
    // It would also send a 500 again, to the same end.
    case .internalError, .outputFailed, .badConfiguration: runsTwice = true
    default: break
    }
  }

  /// The same error about a turn that has begun, whose effects a retry would repeat.
  static func afterAcceptance(_ error: any Error) -> OpenAIError {
    var error = OpenAIError(error)
    error.runsTwice = true
    error.retryAfter = nil
    return error
  }

  private var type: String {
    switch status {
    case 429: "rate_limit_error"
    case 500...: "server_error"
    default: "invalid_request_error"
    }
  }

  /// The error object alone.
  var content: GeneratedContent {
    GeneratedContent(properties: [
      "message": message, "type": type, "param": param.content, "code": code,
    ])
  }

  /// The body of a response that reports the error.
  var body: String { GeneratedContent(properties: ["error": content]).jsonString }

  var headers: HTTPFields {
    var fields: HTTPFields = [.contentType: "application/json"]
    if status == 401 { fields[.wwwAuthenticate] = "Bearer" }
    if let retryAfter { fields[.retryAfter] = "\(retryAfter)" }
    if runsTwice { fields[.shouldRetry] = "false" }
    return fields
  }
}

extension String? {
  /// The text as JSON, or `null`.
  var content: GeneratedContent { map { GeneratedContent($0) } ?? GeneratedContent(kind: .null) }
}
