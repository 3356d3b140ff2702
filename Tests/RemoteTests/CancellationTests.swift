import AgentKit
import Foundation
import TestSupport
import Testing

/// Cancelling a request closes its connection.
@Suite(.timeLimit(.minutes(5))) struct CancellationTests {
  /// Cancels a request at some point and waits until the server sees the connection closed.
  ///
  /// The point is reached once the server has sent `sent`.
  private func expectClose(after sent: String) async throws {
    let (reached, reach) = AsyncStream<Void>.makeStream()
    let (closed, close) = AsyncStream<Void>.makeStream()
    try await TestServer.run { connection in
      if !sent.isEmpty { try await connection.send(sent) }
      reach.yield()
      await connection.waitForClose()
      close.yield()
    } _: { server in
      let session = LanguageModelSession(model: try server.model(timeout: .seconds(30)))
      let task = Task { try await session.respond(to: "Hello") }
      for await _ in reached { break }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      for await _ in closed { break }
      #expect(!session.isResponding)
    }
  }

  @Test func `Before the server has answered`() async throws {
    try await expectClose(after: "")
  }

  @Test func `In the middle of an answer`() async throws {
    try await expectClose(after: Connection.eventsHead + "data: \(Sent.text("Good"))\n\n")
  }

  @Test func `A task that is already cancelled sends no request`() async throws {
    try await TestServer.events([Sent.text("Yes."), Sent.end()]) { server in
      let model = try server.model()
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await LanguageModelSession(model: model).respond(to: "Hello")
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(server.received.isEmpty)
    }
  }

  @Test func `A fault in the middle closes the connection too`() async throws {
    let (closed, close) = AsyncStream<Void>.makeStream()
    try await TestServer.run { connection in
      try await connection.send(Connection.eventsHead + "data: no JSON\n\n")
      await connection.waitForClose()
      close.yield()
    } _: { server in
      await #expect(throws: ChatCompletionsLanguageModel.RequestError.self) {
        try await server.ask()
      }
      for await _ in closed { break }
    }
  }
}
