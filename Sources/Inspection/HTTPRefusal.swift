import Coordination
import FlyingFox
import Foundation
import Journal

/// Why something is not done, as whoever asked for it over HTTP is told.
struct HTTPRefusal: Error, Equatable {
  let status: HTTPStatusCode
  /// A sentence.
  let reason: String

  init(_ status: HTTPStatusCode, _ reason: String) {
    (self.status, self.reason) = (status, reason)
  }

  /// Whatever was thrown while a request was answered.
  init(_ error: any Error) {
    switch error {
    case let refusal as HTTPRefusal: self = refusal
    // Whoever still listens has not given up: the coordinator has.
    case is CancellationError: self.init(ConversationError.closed)
    default: self.init(Self.status(of: error), String(describing: error))
    }
  }

  private static func status(of error: any Error) -> HTTPStatusCode {
    switch error {
    case is UnusableBody, is SessionName.Fault: .badRequest
    case let error as ConversationError: status(of: error)
    case let error as ApprovalError: error.known == nil ? .notFound : .conflict
    case JournalError.full: .insufficientStorage
    default: .internalServerError
    }
  }

  private static func status(of error: ConversationError) -> HTTPStatusCode {
    switch error {
    // A status of their own: what is wrong is not the prompt, but what it comes with.
    case .badImage, .imagesTooLarge: .unprocessableContent
    case .noSuchAgent: .notFound
    case .promptTooLarge: .payloadTooLarge
    case .tooManyWaiting: .tooManyRequests
    case .noAgents, .closed: .serviceUnavailable
    case .strayCall, .strayRequest, .strayEntries, .unawaitedCalls, .propertiesTooLarge,
      .entryTooLarge:
      .internalServerError
    }
  }

  var response: HTTPResponse {
    HTTPResponse(
      statusCode: status,
      headers: [.contentType: "text/plain; charset=utf-8"],
      body: Data("\(reason)\n".utf8)
    )
  }
}

extension HTTPStatusCode {
  fileprivate static let insufficientStorage = HTTPStatusCode(507, phrase: "Insufficient Storage")
}
