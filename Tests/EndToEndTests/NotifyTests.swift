import FlyingSocks
import Foundation
import TestSupport
import Testing

/// What the system's service manager is told, in the systemd protocol.
@Suite(.timeLimit(.minutes(10))) struct `A service manager` {
  @Test(arguments: [true, false])
  func `hears when the coordinator serves, and when it is stopped`(bySignal: Bool) async throws {
    let product = try Product()
    let path = product.home + "/notify.sock"
    let socket = try Socket(domain: Int32(AF_UNIX), type: .datagram)
    defer { try? socket.close() }
    try socket.bind(to: .unix(path: path))
    try socket.setFlags(.nonBlocking)

    let coordinator = try await product.start(
      ["start", "--no-chat"],
      environment: ["NOTIFY_SOCKET": path]
    )
    #expect(try await Self.word(on: socket) == "READY=1")
    // READY comes only once it is true, and nothing else is sent while the coordinator serves.
    #expect(try await product.run("ps").status == 0)
    #expect(Self.heard(on: socket) == nil)
    if bySignal {
      coordinator.signal(SIGTERM)
    } else {
      #expect(try await product.run("stop").status == 0)
    }
    #expect(try await Self.word(on: socket) == "STOPPING=1")
    #expect(await coordinator.end().status == (bySignal ? 128 + SIGTERM : 0))
    // STOPPING may be repeated, but READY must not.
    while let word = Self.heard(on: socket) { #expect(word == "STOPPING=1") }
  }

  /// Waits for a notification.
  private static func word(on socket: Socket) async throws -> String {
    var word: String?
    try await eventually("the service manager hears something") {
      word = heard(on: socket)
      return word != nil
    }
    return try #require(word)
  }

  /// A notification that has arrived, or `nil`.
  private static func heard(on socket: Socket) -> String? {
    guard let bytes = try? socket.read(atMost: 256) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
