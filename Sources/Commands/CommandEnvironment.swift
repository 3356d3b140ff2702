import Coordinator
import Doors
import Foundation
import Journal
import Terminal

/// What a command finds where it runs: the folders that its environment names, and the service there.
enum CommandEnvironment {
  static func folders() throws(CoordinatorError) -> Folders {
    try Folders(environment: ProcessInfo.processInfo.environment)
  }

  /// Returns the service of the coordinator that runs here; without one, a service that reads the
  /// journal and refuses everything else.
  static func service() async throws -> any CoordinatorService {
    let folders = try folders()
    return try await RemoteCoordinator.running(folders)?.service ?? OfflineService(folders)
  }

  /// Returns the service for what the journal and the logs tell as well, also where a coordinator
  /// runs that does not answer.
  static func readingService() async throws -> any CoordinatorService {
    do {
      return try await service()
    } catch let error as ConnectionError {
      Terminal().note("orchestrator: \(error) Reading the journal instead.")
      return OfflineService(try folders())
    }
  }

  /// Attempts something that no coordinator may run beside, again and again while one starts or
  /// ends.
  static func whileAnotherRuns<Value>(
    until deadline: ContinuousClock.Instant,
    _ attempt: () async throws -> Value
  ) async throws -> Value {
    var isToldToWait = false
    while true {
      do {
        return try await attempt()
      } catch CoordinatorError.alreadyRunning(let holder) where ContinuousClock.now < deadline {
        if !isToldToWait { Terminal().note("Waiting for the running coordinator (\(holder)).") }
        isToldToWait = true
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  static func journal() throws -> JournalReader {
    let folders = try folders()
    guard let reader = try JournalReader(path: folders.journal) else {
      throw CoordinatorError.nothingJournaled(folders.journal)
    }
    return reader
  }
}
