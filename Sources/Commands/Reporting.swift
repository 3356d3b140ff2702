import ArgumentParser
import Coordinator
import Foundation
import Terminal

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
  if code.rawValue > 128 { Terminal.hurry() } else { Signals.endAtOnce() }
  if let fault = Terminal.flush(), code == .success {
    let error = CommandError.unwrittenOutput(FileAccessError(code: fault))
    Terminal().note("orchestrator: \(error)")
    _ = Terminal.flush()
    code = ExitCode(error.code.exitCode)
  }
  // As if SIGPIPE had ended the process.
  if Terminal.isUnread, code == .success || code == .failure { code = ExitCode(128 + SIGPIPE) }
  if code != .success { throw code }
}

/// Returns the exit code of an error.
func exitCode(of error: any Error) -> Int32 { ServiceError(error).code.exitCode }
