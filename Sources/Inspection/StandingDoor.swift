import FlyingSocks

/// A door that is bound to a network address and lets nobody in yet.
package struct StandingDoor: Sendable {
  let socket: Socket
  /// Its address, with the actual port if the system chose it.
  package let address: DoorAddress

  /// Binds a door to an address.
  /// - Throws: An error that `ControlServer.problem` can describe.
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
