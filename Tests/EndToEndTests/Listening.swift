import Foundation

extension Product {
  /// Starts a coordinator that listens on a free port, and waits until it answers.
  func listen(_ options: String...) async throws -> (coordinator: Session, port: UInt16) {
    let coordinator = try await start(["start", "--no-chat", "--listen", "0"] + options)
    let port = try await `The doors`.port(of: coordinator)
    try await waitUntilServing()
    return (coordinator, port)
  }

  /// The token of the port.
  var token: String {
    get throws { try String(contentsOfFile: home + "/run/token", encoding: .utf8) }
  }
}
