import ArgumentParser
import Coordinator
import Foundation
import Terminal

/// A command whose errors become a message and an exit code.
protocol Command: AsyncParsableCommand {
  func perform() async throws
}

extension Command {
  func run() async throws {
    var code = ExitCode.success
    do {
      try await perform()
    } catch let thrown as ExitCode {
      code = thrown
    } catch {
      Terminal().note("orchestrator: \(error)")
      code = ExitCode(ServiceError(error).code.exitCode)
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
}
