import Foundation
import Inspection
import Journal
import Wire

extension Coordinator {
  /// Serves until asked to stop or until the task is cancelled.
  /// - Parameter isAttended: Whether a person can be asked, for prompts that do not say.
  func serve(
    terminal: Terminal,
    isAttended: Bool,
    onListening: @escaping @Sendable () -> Void
  ) async throws {
    let started = Date()
    try await refuseServedSocket()
    // If the system chooses the port, everything that mentions it needs the chosen one.
    let standing = try settings.door.map(Self.stand)
    let server = ControlServer(
      conversations: conversations,
      caps: settings.caps,
      isAttended: isAttended,
      status: CoordinatorStatus(
        pid: getpid(),
        started: started,
        state: settings.folders.resolvedState,
        agents: settings.agents,
        model: settings.model,
        sandbox: settings.sandbox.rawValue,
        door: standing.map { "\($0.address)" }
      ),
      standbys: { await self.standbys() },
      launches: { self.launches() },
      deaths: { try await DeathList(JournalReader(self.journal), since: started) },
      stop: { self.stop() }
    )
    defer { if settings.door != nil { unlink(settings.folders.token) } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      // Not a child of the group, because the end of warming must not end what it serves.
      let warming = Task { await self.warm(all: terminal.isInteractive) }
      defer { warming.cancel() }
      group.addTask { try await self.serveSocket(of: server, onListening: onListening) }
      if let standing {
        let token = try makeToken()
        group.addTask {
          try await self.serveDoor(standing, of: server, token: token, terminal: terminal)
        }
      }
      group.addTask { for await _ in self.stops { return } }
      // The server and the watch never end by themselves, so the first to end is a stop, a failure
      // to listen, or cancellation.
      try await group.next()
      if !Task.isCancelled {
        // Clients learn how their turns end from a server that is still running.
        await endTurns()
        await server.answersAreRead(within: Self.closingPatience)
      }
      group.cancelAll()
    }
  }

  private func serveSocket(
    of server: ControlServer,
    onListening: @escaping @Sendable () -> Void
  ) async throws {
    let (socket, lock) = (settings.folders.socket, lock)
    do {
      try await server.serve(socket: socket) {
        lock.note(listeningOn: socket)
        onListening()
      }
    } catch {
      if Task.isCancelled { throw error }
      throw CommandError.unusableSocket(socket, reason: ControlServer.problem(error))
    }
  }

  private func serveDoor(
    _ standing: StandingDoor,
    of server: ControlServer,
    token: String,
    terminal: Terminal
  ) async throws {
    let folders = settings.folders
    do {
      try await server.serve(
        at: standing,
        names: settings.door?.names ?? [],
        token: token,
        socket: folders.socket
      ) {
        terminal.note(DoorSettings.note(of: standing.address, token: folders.token))
      }
    } catch {
      if Task.isCancelled { throw error }
      throw Self.cannotListen(standing.address, error)
    }
  }

  /// Refuses a socket that is already served.
  ///
  /// While this coordinator has the lock, it can only belong to another home, whose clients must
  /// not come here.
  private func refuseServedSocket() async throws {
    let socket = settings.folders.socket
    let status: CoordinatorStatus?
    do {
      status = try await ControlClient(socket: socket).status()
    } catch {
      // It may be a coordinator that is suspended, and goes on later.
      throw CommandError.unusableSocket(
        socket,
        reason: "what listens there does not answer as a coordinator does"
      )
    }
    guard let status else { return }
    let home = status.state.map { ", for \($0)" } ?? ""
    throw CommandError.unusableSocket(
      socket,
      reason: "another coordinator (pid \(status.pid)\(home)) is listening there"
    )
  }

  private static func stand(at door: DoorSettings) throws -> StandingDoor {
    do {
      return try StandingDoor(at: door.address)
    } catch {
      throw cannotListen(door.address, error)
    }
  }

  private static func cannotListen(_ address: DoorAddress, _ error: any Error) -> CommandError {
    .cannotListen("\(address)", reason: ControlServer.problem(error))
  }

  private func makeToken() throws -> String {
    let token = (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    let file = settings.folders.token
    unlink(file)
    guard
      FileManager.default.createFile(
        atPath: file,
        contents: Data(token.utf8),
        attributes: [.posixPermissions: 0o600]
      )
    else { throw CommandError.unwritable(file, reason: String(cString: strerror(errno))) }
    return token
  }
}
