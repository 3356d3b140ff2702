package import Coordinator

/// Why a coordinator gave no answer.
package enum ConnectionError: CodedError, Equatable {
  /// It ended, or the connection broke, in the middle of an answer.
  case gone
  /// It sent something that is not a valid answer.
  case unreadable
  /// It accepts connections but does not answer.
  case silent

  package var code: ErrorCode {
    switch self {
    case .gone, .silent: .unavailable
    case .unreadable: .internalError
    }
  }

  package var description: String {
    switch self {
    case .unreadable:
      "The coordinator's response cannot be read. It may be of another version."
    case .gone: "The coordinator stopped before it answered."
    case .silent:
      "The running coordinator does not respond. If it is suspended, 'kill -CONT' resumes it and"
        + " 'kill -KILL' ends it."
    }
  }
}
