import Foundation
import Inspection
import Journal

// What a command finds in the home that its environment names.

extension ControlClient {
  /// Talks to the coordinator that writes to these folders, wherever it listens; `nil` where none can.
  /// - Throws: `CommandError.foreign` where somebody else could listen.
  init?(_ folders: Folders) throws(CommandError) {
    let socket = folders.servedSocket
    let folder = (socket as NSString).deletingLastPathComponent
    guard try Folders.holdsSockets(folder) else { return nil }
    self.init(socket: socket)
  }

  /// The coordinator that writes to these folders; `nil` when there is none that answers.
  ///
  /// Where sockets lie is the user's, and not the home's: another home's may answer there.
  static func serving(
    _ folders: Folders
  ) async throws -> (client: ControlClient, status: CoordinatorStatus)? {
    guard let client = try ControlClient(folders), let status = try await client.status(),
      status.state.map({ $0 == folders.resolvedState }) ?? true
    else { return nil }
    return (client, status)
  }

  /// Talks to the coordinator that runs here.
  static func ofThisHome() async throws -> ControlClient {
    let folders = try Folders(environment: ProcessInfo.processInfo.environment)
    guard let (client, _) = try await serving(folders) else {
      throw CommandError.noAnswer(from: folders)
    }
    return client
  }
}

extension Folders {
  /// The socket of the coordinator that writes here: it may have been started where XDG_RUNTIME_DIR was
  /// another.
  var servedSocket: String { StateLock.holder(of: self)?.socket ?? socket }

  /// The state folder under the one name that it has however it is spelled.
  var resolvedState: String { URL(filePath: state).resolvingSymlinksInPath().path }
}

extension CommandError {
  /// Why there is no coordinator to talk to: one that answers a question of its own talks to nobody else.
  static func noAnswer(from folders: Folders) -> CommandError {
    guard let holder = StateLock.holder(of: folders), holder.socket == nil else {
      return .noCoordinator
    }
    return .deafCoordinator(holder)
  }
}

extension JournalReader {
  /// Reads what was journaled here.
  static func ofThisHome() throws -> JournalReader {
    guard let reader = try ofThisHomeIfAny() else {
      let folders = try Folders(environment: ProcessInfo.processInfo.environment)
      throw CommandError.nothingJournaled(folders.journal)
    }
    return reader
  }

  /// Reads what was journaled here; `nil` where nothing was yet.
  static func ofThisHomeIfAny() throws -> JournalReader? {
    try JournalReader(path: Folders(environment: ProcessInfo.processInfo.environment).journal)
  }
}
