import Foundation
import Inspection
import Journal

// What a command finds in the home that its environment names.

extension ControlClient {
  /// Talks to the coordinator that runs here.
  static func ofThisHome() async throws -> ControlClient {
    let folders = try Folders(environment: ProcessInfo.processInfo.environment)
    let client = ControlClient(socket: folders.socket)
    guard try await client.status() != nil else { throw CommandError.noCoordinator }
    return client
  }
}

extension JournalReader {
  /// Reads what was journaled here.
  static func ofThisHome() throws -> JournalReader {
    let path = try Folders(environment: ProcessInfo.processInfo.environment).journal
    guard let reader = try JournalReader(path: path) else {
      throw CommandError.nothingJournaled(path)
    }
    return reader
  }
}
