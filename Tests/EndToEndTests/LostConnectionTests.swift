import FlyingFox
import FlyingSocks
import Foundation
import Testing

/// A question whose connection breaks while its coordinator lives.
@Suite(.timeLimit(.minutes(10))) struct `A question whose connection is lost` {
  @Test(arguments: [true, false])
  func `was cancelled if its coordinator is still there`(staysThere: Bool) async throws {
    let product = try Product()
    let folder = product.home + "/run"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let server = HTTPServer(address: .unix(path: folder + "/coordinator.sock"), logger: .disabled)
    let pid = getpid()
    let statuses = Statuses(limit: staysThere ? .max : 1)
    await server.appendRoute("GET /v1/status") { _ in
      guard await statuses.isOneLeft() else { return HTTPResponse(statusCode: .notFound) }
      let status = #"{"pid":\#(pid),"started":"2026-01-01T00:00:00Z","agents":"/Agents"}"#
      return HTTPResponse(statusCode: .ok, body: Data(status.utf8))
    }
    await server.appendRoute("POST /v1/prompts") { _ in
      let line = #"{"event":"accepted","turn":7,"session":"default"}"# + "\n"
      return HTTPResponse(statusCode: .ok, body: Data(line.utf8))
    }
    let serving = Task { try await server.run() }
    defer { serving.cancel() }
    try await server.waitUntilListening()
    let asked = try await product.run("ask", "Hello")
    #expect(asked.status == 69)
    let words =
      staysThere ? "was lost, so the turn was cancelled. Ask again." : "Do not ask again"
    #expect(asked.errors.contains(words), "\(asked.errors)")
  }

  /// How often a coordinator says that it is there.
  private actor Statuses {
    private var left: Int

    init(limit: Int) { left = limit }

    func isOneLeft() -> Bool {
      defer { left -= 1 }
      return left > 0
    }
  }
}
