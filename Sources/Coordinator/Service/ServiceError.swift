package import Coordination
import Foundation
package import Journal
package import Plugins
package import Transcripts

/// A failure of the service, as it crosses to any client: `{"error": {"code", "message"}}`.
package struct ServiceError: CodedError, Codable, Sendable, Equatable {
  package var code: ErrorCode
  package var message: String

  package init(_ code: ErrorCode, _ message: String) {
    self.code = code
    self.message = message
  }

  /// Interprets any error that was thrown while the service did its work.
  package init(_ error: any Error) {
    switch error {
    case let error as ServiceError: self = error
    case let error as any CodedError: self.init(error.code, error.description)
    // A client that still listens has not given up, so the coordinator cancelled.
    case is CancellationError: self.init(ConversationError.closed)
    default: self.init(.internalError, String(describing: error))
    }
  }

  package var description: String { message }
}

/// The body of a response that reports a failure.
package struct ErrorBody: Codable, Sendable, Equatable {
  package var error: ServiceError

  package init(_ error: ServiceError) { self.error = error }
}

extension SessionName.Fault: CodedError {
  package var code: ErrorCode { .invalidRequest }
}

extension ConversationError: CodedError {
  package var code: ErrorCode {
    switch self {
    case .badImage, .imagesTooLarge, .badHistory: .unusableData
    case .deleted: .notFound
    case .alreadyBegun: .conflict
    case .noSuchAgent: .noSuchAgent
    case .toolNameConflict: .toolNameConflict
    case .promptTooLarge: .tooLarge
    case .tooManyWaiting: .tooManyRequests
    case .noAgents: .noAgents
    case .unusableAgent: .unusableAgent
    case .closed: .stopping
    case .strayCall, .strayOutput, .missingOutput, .strayEntries,
      .propertiesTooLarge, .entryTooLarge:
      .internalError
    }
  }
}

extension ClientToolFault: CodedError {
  package var code: ErrorCode {
    switch self {
    case .notAName, .twice: .invalidRequest
    case .tooMany, .tooLarge: .tooLarge
    }
  }
}

extension ClientCallError: CodedError {
  package var code: ErrorCode {
    switch self {
    case .notWaiting, .otherTurn: .notWaiting
    case .noSuchTurn: .notFound
    case .unknown: .unknownCall
    case .answered: .callAnswered
    case .twice, .nothing: .invalidRequest
    case .badImage: .unusableData
    case .tooLarge: .tooLarge
    }
  }
}

extension ApprovalError: CodedError {
  package var code: ErrorCode {
    if problem != nil { return .invalidRequest }
    return known == nil ? .notFound : .conflict
  }
}

extension JournalError: CodedError {
  package var code: ErrorCode {
    switch self {
    case .full, .unwritable: .cannotCreate
    default: .internalError
    }
  }
}

extension SessionError: CodedError {
  package var code: ErrorCode {
    switch self {
    case .fileExists, .unwritable: .cannotCreate
    case .damaged, .newer, .unusableName: .unusableData
    case .unknown, .noneOf, .unknownTurn: .notFound
    case .nameTaken, .isUnderWay: .conflict
    default: .internalError
    }
  }
}

extension PluginError: CodedError {
  package var code: ErrorCode {
    switch self {
    case .noFolder, .folderUnreadable: .noInput
    case .noCompiler, .incompleteKit, .compilerUnusable, .workerUnusable: .unavailable
    case .modelUnusable, .projectorUnusable: .unusableData
    }
  }
}

extension AgentTemplate.Fault: CodedError {
  package var code: ErrorCode {
    switch self {
    case .notAName, .taken: .invalidRequest
    case .exists, .unwritable: .cannotCreate
    }
  }
}
