import FlyingSocks

/// A door that stands at an address of the network, and lets nobody in yet.
package struct StandingDoor: Sendable {
  let socket: Socket
  /// Where it stands: with the port that the system has chosen, where that was left to it.
  package let address: DoorAddress

  /// - Throws: For which `ControlServer.problem` has words.
  package init(at address: DoorAddress) throws {
    let socket = try address.bind()
    do {
      (self.socket, self.address) = (socket, try address.found(by: socket))
    } catch {
      try? socket.close()
      throw error
    }
  }
}
