import Foundation

/// The kind of a failure: the one table from a code to an HTTP status and to an exit code.
///
/// Exit codes are those of sysexits.h where it has a fitting one.
package enum ErrorCode: String, Codable, Sendable, CaseIterable {
  case invalidRequest = "invalid_request"
  case unauthorized
  case forbidden
  /// A session, a run, a call or a path that does not exist.
  case notFound = "not_found"
  case noSuchAgent = "no_such_agent"
  /// A function of the client has the name of a tool of the agent.
  case toolNameConflict = "tool_name_conflict"
  /// No turn waits for its client.
  case notWaiting = "not_waiting"
  /// No call of this identity waits for its client.
  case unknownCall = "unknown_call"
  /// The client's call has an output already.
  case callAnswered = "call_answered"
  /// A file or a model that does not exist.
  case noInput = "no_input"
  case methodNotAllowed = "method_not_allowed"
  /// The client does not accept the form of the answer.
  case notAcceptable = "not_acceptable"
  case timeout
  /// What is asked for has been done already, or by another.
  case conflict
  /// The identity of a request belongs to another one.
  case idempotencyConflict = "idempotency_conflict"
  case tooLarge = "too_large"
  /// Data of the wrong form, such as an image that cannot be decoded.
  case unusableData = "unusable_data"
  case tooManyRequests = "too_many_requests"
  case headerTooLarge = "header_too_large"
  case internalError = "internal_error"
  case unavailable
  case noAgents = "no_agents"
  case unusableAgent = "agent_does_not_compile"
  case stopping
  /// Another process has the lock; try again later.
  case busy
  case cannotCreate = "cannot_create"
  case outputFailed = "output_failed"
  case badConfiguration = "bad_configuration"

  package var exitCode: Int32 { row.exitCode }
  package var httpStatus: Int { row.httpStatus }

  private var row: (httpStatus: Int, exitCode: Int32) {
    switch self {
    case .invalidRequest: (400, EX_USAGE)
    case .unauthorized: (401, EX_NOPERM)
    case .forbidden: (403, EX_NOPERM)
    case .notFound: (404, EXIT_FAILURE)
    case .noSuchAgent: (404, EX_NOINPUT)
    case .noInput: (404, EX_NOINPUT)
    case .toolNameConflict: (400, EX_USAGE)
    case .unknownCall: (404, EXIT_FAILURE)
    // Not 409, after which clients send the same again.
    case .notWaiting, .callAnswered: (422, EX_DATAERR)
    case .methodNotAllowed: (405, EXIT_FAILURE)
    case .notAcceptable: (406, EX_USAGE)
    case .timeout: (408, EXIT_FAILURE)
    case .conflict: (409, EXIT_FAILURE)
    // Not 409, after which clients send the same again.
    case .idempotencyConflict: (422, EX_DATAERR)
    case .tooLarge: (413, EX_USAGE)
    case .unusableData: (422, EX_DATAERR)
    case .tooManyRequests: (429, EXIT_FAILURE)
    case .headerTooLarge: (431, EXIT_FAILURE)
    case .internalError: (500, EXIT_FAILURE)
    case .unavailable, .noAgents, .unusableAgent, .stopping: (503, EX_UNAVAILABLE)
    case .busy: (503, EX_TEMPFAIL)
    case .cannotCreate: (507, EX_CANTCREAT)
    case .outputFailed: (500, EX_IOERR)
    case .badConfiguration: (500, EX_CONFIG)
    }
  }
}

/// An error that knows its kind.
package protocol CodedError: Error, CustomStringConvertible {
  var code: ErrorCode { get }
}
