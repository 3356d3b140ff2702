import Foundation
import Inspection
import Journal

// What a command finds in the home that its environment names.

extension ControlClient {
  /// Talks to the coordinator that writes to these folders, wherever it listens.
  init(_ folders: Folders) { self.init(socket: folders.servedSocket) }

  /// Talks to the coordinator that runs here.
  static func ofThisHome() async throws -> ControlClient {
    let folders = try Folders(environment: ProcessInfo.processInfo.environment)
    let client = ControlClient(folders)
    guard try await client.status() != nil else { throw CommandError.noCoordinator }
    return client
  }
}

extension Folders {
  /// The socket of the coordinator that writes here: it may have been started where XDG_RUNTIME_DIR was
  /// another.
  var servedSocket: String { StateLock.socket(of: self) ?? socket }
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
