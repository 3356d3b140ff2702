import Coordinator
import Foundation
import HTTPTypes

/// What holds for the requests to a path before they are routed.
struct RoutePolicy: Sendable {
  enum ErrorForm: Sendable {
    case service, openAI
  }

  var errors = ErrorForm.service
  /// The bytes of the body where it may be larger than elsewhere.
  var bodyBytes = 0
  /// Whether a client that closes its sending half has gone; the turn is then cancelled.
  ///
  /// Where an answer is written in one piece, nothing else shows that its client gave up.
  var endsWithInput = false
  /// Whether pages of other origins that were named may send requests.
  var allowsOrigins = false

  static let standard = RoutePolicy()
  /// For what OpenAI's clients ask, with images in the body.
  static let openAI = RoutePolicy(
    errors: .openAI,
    bodyBytes: 16 << 20,
    endsWithInput: true,
    allowsOrigins: true
  )

  static func of(_ request: HTTPRequest) -> RoutePolicy {
    let path = request.pathWithoutQuery
    return OpenAIRoutes.owns(path) ? .openAI : .standard
  }

  func refusal(_ error: ServiceError) -> (status: Int, headers: HTTPFields, body: Data) {
    switch errors {
    case .service: return (error.code.httpStatus, error.headers, error.body)
    case .openAI:
      let error = OpenAIError(error)
      var headers = error.headers
      headers[.requestID] = OpenAIRoutes.newRequestID()
      return (error.status, headers, Data(error.body.utf8))
    }
  }
}

extension HTTPRequest {
  var pathWithoutQuery: Substring { path.map { $0.prefix { $0 != "?" } } ?? "" }
}
