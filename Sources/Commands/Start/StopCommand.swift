import ArgumentParser
import Coordinator
import Foundation
import Supervision
import Terminal

struct StopCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "Stops the running coordinator and its workers."
  )

  /// How long a coordinator may take to end its workers.
  private static let patience = Duration.seconds(15)

  @Flag(help: "Write JSON.")
  var json = false

  func perform() async throws {
    let service = try await CommandEnvironment.service()
    let status = try await service.status()
    let process = ProcessIdentity(of: status.pid)
    try await service.stop()
    let deadline = ContinuousClock.now + Self.patience
    // An ended process stays until its parent reaps it, and its pid may be reused afterwards.
    while kill(status.pid, 0) == 0, process == nil || ProcessIdentity(of: status.pid) == process {
      guard ContinuousClock.now < deadline else {
        throw CommandError.failed(
          "The coordinator (pid \(status.pid)) did not stop within"
            + " \(Self.patience.components.seconds) s."
        )
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    if json { return Terminal.show(json: try JSONOutput.document(["stopped": status.pid])) }
    Terminal.show("The coordinator (pid \(status.pid)) has stopped.")
  }
}
