import Foundation
import Testing

/// Chats with a coordinator that runs on its own, as a service does.
@Suite(.timeLimit(.minutes(10))) struct `A chat with a running coordinator` {
  @Test func `answers, and leaves the coordinator running`() async throws {
    let product = try Product()
    let refused = try await product.run("chat", input: "Hello\n")
    #expect(refused.status == 69)
    let coordinator = try await product.open("start", "--no-chat")
    try await product.waitUntilServing()
    let chat = try await product.run("chat", "--session", "one", input: "Hello\nAgain\n")
    #expect(chat.status == 0, "\(chat.errors)")
    #expect(chat.lines.count == 2, "\(chat.output)")
    let transcript = try await product.run("transcript", "one")
    #expect(transcript.lines.count { $0.hasPrefix("person: ") } == 2)
    #expect(try await product.run("ps").status == 0)
    #expect(try await product.run("stop").status == 0)
    _ = await coordinator.end()
  }

  @Test func `shows what others ask in its session, and nothing of other sessions`() async throws {
    let product = try Product()
    let coordinator = try await product.open("start", "--no-chat")
    try await product.waitUntilServing()
    let watcher = try await product.open("chat", "--session", "one")
    // Its own turn shows that it watches.
    watcher.type("Hello\n")
    #expect(await watcher.waitForOutput { !$0.isEmpty })
    let other = try await product.run("ask", "Elsewhere", "--session", "two")
    let asked = try await product.run("ask", "Hi there", "--session", "one")
    #expect(asked.status == 0 && other.status == 0)
    #expect(await watcher.waitForErrors { $0.contains("another client asks in this session") })
    #expect(await watcher.waitForOutput { $0.hasSuffix(asked.output) })
    watcher.closeInput()
    let end = await watcher.end()
    #expect(end.status == 0)
    #expect(end.notes(containing: "another client asks").count == 1, "\(end.errors)")
    #expect(end.lines.count == 2, "\(end.output)")
    #expect(try await product.run("stop").status == 0)
    _ = await coordinator.end()
  }

  @Test func `ends with its coordinator, whose log remains`() async throws {
    let product = try Product()
    let coordinator = try await product.open("start", "--no-chat", "--log-level", "debug")
    try await product.waitUntilServing()
    let chat = try await product.open("chat", "--session", "one")
    chat.type("Hello\n")
    #expect(await chat.waitForOutput { !$0.isEmpty })
    #expect(try await product.run("stop").status == 0)
    #expect(await chat.end().status == 1)
    _ = await coordinator.end()
    let log = try await product.run("logs", "coordinator")
    #expect(log.lines.contains { $0.contains(" turn began session=one turn=1") }, "\(log.output)")
    #expect(log.lines.contains { $0.contains(" turn ended: answered agent=") }, "\(log.output)")
  }
}
