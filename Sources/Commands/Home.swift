import Coordinator
import Doors
import Foundation
import Journal

/// The home that a command's environment names.
enum Home {
  static func folders() throws(CoordinatorError) -> Folders {
    try Folders(environment: ProcessInfo.processInfo.environment)
  }

  /// Returns the service of the coordinator that runs here; without one, a service that reads the
  /// journal and refuses everything else.
  static func service() async throws -> any CoordinatorService {
    let folders = try folders()
    return try await RemoteCoordinator.running(folders)?.service ?? OfflineService(folders)
  }

  /// Opens the journal for reading.
  static func journal() throws -> JournalReader {
    let folders = try folders()
    guard let reader = try JournalReader(path: folders.journal) else {
      throw CoordinatorError.nothingJournaled(folders.journal)
    }
    return reader
  }
}
