import ArgumentParser
import Coordination
import Foundation
import Inspection
import Journal
import Plugins

/// Runs a command's body and turns its errors into a message and an exit code.
func reporting(_ body: () async throws -> Void) async throws {
  var code = ExitCode.success
  do {
    try await body()
  } catch let thrown as ExitCode {
    code = thrown
  } catch {
    Terminal().note("orchestrator: \(error)")
    code = ExitCode(exitCode(of: error))
  }
  // The exit code of a signal.
  if code.rawValue > 128 { Terminal.hurry() }
  if let fault = Terminal.flush(), code == .success {
    let error = CommandError.unwrittenOutput(Obstacle(code: fault))
    Terminal().note("orchestrator: \(error)")
    _ = Terminal.flush()
    code = ExitCode(error.exitCode)
  }
  // As if SIGPIPE had ended the process.
  if Terminal.isUnread, code == .success || code == .failure { code = ExitCode(128 + SIGPIPE) }
  if code != .success { throw code }
}

/// Returns the exit code of an error, from sysexits.h if it has a fitting one.
func exitCode(of error: any Error) -> Int32 {
  switch error {
  case let error as CommandError: error.exitCode
  case let error as ControlError: error.exitCode
  case let error as ConversationError: error.exitCode
  case is SessionName.Fault: EX_USAGE
  case PluginError.noFolder, PluginError.folderUnreadable: EX_NOINPUT
  case PluginError.noCompiler, PluginError.incompleteKit: EX_UNAVAILABLE
  case PluginError.compilerUnusable, PluginError.workerUnusable: EX_UNAVAILABLE
  case PluginError.modelUnusable, PluginError.projectorUnusable: EX_DATAERR
  case AgentTemplate.Fault.notAName, AgentTemplate.Fault.taken: EX_USAGE
  case SessionError.fileExists, SessionError.unwritable: EX_CANTCREAT
  case SessionError.damaged, SessionError.newer, SessionError.unusableName: EX_DATAERR
  case JournalError.unwritable, JournalError.full: EX_CANTCREAT
  case AgentTemplate.Fault.exists, AgentTemplate.Fault.unwritable: EX_CANTCREAT
  default: EXIT_FAILURE
  }
}

extension ControlError {
  fileprivate var exitCode: Int32 {
    switch self {
    case .noSuchAgent: EX_NOINPUT
    case .silent, .gone: EX_UNAVAILABLE
    // An invalid request, or too large a one.
    case .refused(_, status: 400), .refused(_, status: 413): EX_USAGE
    // An unusable image.
    case .refused(_, status: 422): EX_DATAERR
    case .refused(_, status: 503): EX_UNAVAILABLE
    // The coordinator's disk is full.
    case .refused(_, status: 507): EX_CANTCREAT
    case .refused, .status, .garbled: EXIT_FAILURE
    }
  }
}

extension ConversationError {
  fileprivate var exitCode: Int32 {
    switch self {
    case .promptTooLarge: EX_USAGE
    case .badImage, .imagesTooLarge: EX_DATAERR
    case .noAgents, .noSuchAgent: EX_NOINPUT
    case .unusableAgent, .closed: EX_UNAVAILABLE
    case .tooManyWaiting, .entryTooLarge, .strayEntries, .strayCall, .strayOutput, .missingOutput,
      .strayRequest, .unawaitedCalls, .propertiesTooLarge:
      EXIT_FAILURE
    }
  }
}
