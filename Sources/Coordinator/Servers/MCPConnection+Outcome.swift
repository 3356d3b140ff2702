import Coordination
import Journal
import MCP
import Transcripts

// What becomes of calls to a server, and its words for a model.

extension MCPConnection {
  /// Why a server is not available, in words that may follow "is not available:".
  struct Unavailable: Error, Equatable {
    let problem: String
  }

  /// What became of a call.
  enum Outcome: Sendable, Equatable {
    case answered(MCPCallOutcome, ServerCall.Request)
    case unavailable(String)
    /// The same, after a request was made.
    case abandoned(String, ServerCall.Request)

    /// The request that was made last for it; `nil` if none was.
    var request: ServerCall.Request? {
      switch self {
      case .answered(_, let request), .abandoned(_, let request): request
      case .unavailable: nil
      }
    }
  }
}

extension MCPConnection.Outcome {
  /// What the model reads.
  func answer(of server: String, _ fitted: (String) -> String) -> MCPAnswer {
    switch self {
    case .answered(.returned(let result), _):
      result.isError
        ? .failed(fitted(result.text)) : .returned(fitted(result.text), images: result.images)
    case .answered(.failed(let error), _):
      .failed(fitted("The server reported the error \(error.code.rawValue): \(error.message)"))
    case .answered(.timedOut(let seconds), _):
      .failed("The server did not answer within \(seconds) s. The call may have had its effect.")
    case .answered(.needsInput(let what), _):
      .failed(fitted("The server wants \(what), which cannot be given here."))
    case .unavailable(let problem), .abandoned(let problem, _):
      .failed(fitted("The server '\(server)' is not available: \(problem)"))
    }
  }
}

extension MCPFault {
  /// The fault in words that may follow "because".
  var words: String {
    switch self {
    case .silent(let seconds): "it did not answer within \(seconds) s."
    case .unsupportedVersion(let version):
      "it speaks another version of the protocol, '\(version.beginning(bytes: 64))'."
    case .refused(let error): "it refused to begin: \(error.message.beginning(bytes: 400))"
    case .noList(let error?): "it did not list its tools: \(error.message.beginning(bytes: 400))"
    case .noList(nil): "it did not list its tools in time."
    }
  }
}

extension MCPServerError {
  /// The problem without the server's name.
  var problem: String {
    if case .unavailable(_, let problem) = self { problem } else { description }
  }
}

extension ElicitationAnswer {
  /// What a person answered; what is no JSON decides nothing.
  init(_ answer: FormAnswer) {
    switch answer {
    case .accepted(let json):
      self = (try? GeneratedContent(json: json)).map { .accepted($0) } ?? .cancelled
    case .declined: self = .declined
    case .cancelled: self = .cancelled
    }
  }
}
