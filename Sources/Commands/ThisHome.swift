import Foundation
import Inspection
import Journal

// Access to the home that a command's environment names.

extension ControlClient {
  /// Makes a client of the coordinator that writes to these folders, wherever it listens.
  /// - Returns: `nil` when the folder of its socket does not exist.
  /// - Throws: `CommandError.foreign` when somebody else could be listening.
  init?(_ folders: Folders) throws(CommandError) {
    let socket = folders.servedSocket
    let folder = (socket as NSString).deletingLastPathComponent
    guard try Folders.holdsSockets(folder) else { return nil }
    self.init(socket: socket)
  }

  /// Returns the coordinator that writes to these folders; `nil` when none answers.
  ///
  /// The folder of sockets belongs to the user, not to the home: another home's may answer there.
  static func serving(
    _ folders: Folders
  ) async throws -> (client: ControlClient, status: CoordinatorStatus)? {
    guard let client = try ControlClient(folders), let status = try await client.status(),
      status.state.map({ $0 == folders.resolvedState }) ?? true
    else { return nil }
    return (client, status)
  }

  /// Connects to the coordinator that runs here.
  static func ofThisHome() async throws -> ControlClient {
    let folders = try Folders(environment: ProcessInfo.processInfo.environment)
    guard let (client, _) = try await serving(folders) else {
      throw CommandError.noAnswer(from: folders)
    }
    return client
  }
}

extension Folders {
  /// The socket of the coordinator that writes here; its XDG_RUNTIME_DIR may have been another.
  var servedSocket: String { StateLock.holder(of: self)?.socket ?? socket }

  /// The canonical path of the state folder, however it is spelled.
  var resolvedState: String { URL(filePath: state).resolvingSymlinksInPath().path }
}

extension CommandError {
  /// Explains why no coordinator can be reached: one that answers its own question serves no other.
  static func noAnswer(from folders: Folders) -> CommandError {
    guard let holder = StateLock.holder(of: folders), holder.socket == nil else {
      return .noCoordinator
    }
    return .deafCoordinator(holder)
  }
}

extension JournalReader {
  /// Opens this home's journal for reading.
  static func ofThisHome() throws -> JournalReader {
    guard let reader = try ofThisHomeIfAny() else {
      let folders = try Folders(environment: ProcessInfo.processInfo.environment)
      throw CommandError.nothingJournaled(folders.journal)
    }
    return reader
  }

  /// Opens this home's journal for reading; `nil` if there is none yet.
  static func ofThisHomeIfAny() throws -> JournalReader? {
    try JournalReader(path: Folders(environment: ProcessInfo.processInfo.environment).journal)
  }
}
