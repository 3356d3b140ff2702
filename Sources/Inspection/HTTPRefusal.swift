import Coordination
import FlyingFox
import Foundation
import Journal

/// A refusal as it is reported to an HTTP client.
struct HTTPRefusal: Error, Equatable {
  let status: HTTPStatusCode
  /// The reason, as a sentence.
  let reason: String

  init(_ status: HTTPStatusCode, _ reason: String) {
    (self.status, self.reason) = (status, reason)
  }

  /// Interprets any error thrown while a request was being answered.
  init(_ error: any Error) {
    switch error {
    case let refusal as HTTPRefusal: self = refusal
    // A client that still listens has not given up, so the coordinator is the one that cancelled.
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
    // A separate status, because not the prompt is at fault but what comes with it.
    case .badImage, .imagesTooLarge: .unprocessableContent
    case .noSuchAgent: .notFound
    case .promptTooLarge: .payloadTooLarge
    case .tooManyWaiting: .tooManyRequests
    case .noAgents, .unusableAgent, .closed: .serviceUnavailable
    case .strayCall, .strayOutput, .missingOutput, .strayRequest, .strayEntries, .unawaitedCalls,
      .propertiesTooLarge, .entryTooLarge:
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
