import Coordinator
import Doors
import Foundation
import Logging
import Terminal

/// A coordinator that is served over HTTP.
struct Daemon: Sendable {
  let coordinator: Coordinator
  let service: LocalCoordinator
  let door: DoorSettings?

  private var folders: Folders { coordinator.settings.folders }

  /// Serves until asked to stop or until the task is cancelled.
  /// - Parameter warmsAll: Whether to prepare templates of all agents, and not only the first's.
  func serve(
    warmsAll: Bool,
    onListening: @escaping @Sendable () -> Void
  ) async throws {
    try await refuseServedSocket()
    let server = DoorServer(
      service,
      logger: coordinator.logger,
      visits: PageVisits(isReadOnly: door?.isInspectReadOnly ?? false)
    )
    defer { if door != nil { unlink(folders.token) } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      // Unstructured: the end of warming must not end what it serves.
      let warming = Task { await coordinator.warm(all: warmsAll) }
      defer { warming.cancel() }
      if let door {
        let network = DoorServer.Network(
          address: door.address,
          names: door.names,
          origins: door.origins,
          token: try makeToken()
        )
        group.addTask {
          try await server.serve(network) { address in
            coordinator.address = "\(address)"
            coordinator.logger.notice("\(DoorSettings.note(of: address, token: folders.token))")
          }
        }
      }
      group.addTask {
        try await server.serve(socket: folders.socket) {
          coordinator.lock.record(listeningOn: folders.socket)
          onListening()
        }
      }
      group.addTask { await coordinator.stopRequested() }
      // The servers never end by themselves, so the first to end is a stop, a failure to listen, or
      // cancellation.
      try await group.next()
      if !Task.isCancelled {
        // Clients learn how their turns end from a server that is still running.
        await coordinator.endTurns()
        await server.answersAreRead(within: Coordinator.closingPatience)
      }
      group.cancelAll()
    }
  }

  /// Refuses a socket that is already served.
  ///
  /// While this coordinator has the lock, it can only belong to another home, whose clients must
  /// not come here.
  private func refuseServedSocket() async throws {
    let socket = folders.socket
    let status: CoordinatorStatus?
    do {
      status = try await RemoteCoordinator(socket: socket).statusIfServed()
    } catch {
      // It may be a coordinator that is suspended, and goes on later.
      throw CoordinatorError.unusableSocket(
        socket,
        reason: "what listens there does not answer as a coordinator does"
      )
    }
    guard let status else { return }
    let home = status.state.map { ", for \($0)" } ?? ""
    throw CoordinatorError.unusableSocket(
      socket,
      reason: "another coordinator (pid \(status.pid)\(home)) is listening there"
    )
  }

  private func makeToken() throws -> String {
    let token = DoorServer.makeToken()
    let file = folders.token
    unlink(file)
    guard
      FileManager.default.createFile(
        atPath: file,
        contents: Data(token.utf8),
        attributes: [.posixPermissions: 0o600]
      )
    else { throw CoordinatorError.unwritable(file, reason: String(cString: strerror(errno))) }
    return token
  }
}
