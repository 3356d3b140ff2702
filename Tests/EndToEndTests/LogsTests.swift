import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A log that is followed` {
  private struct Tree: Decodable, Sendable {
    struct Worker: Decodable, Sendable {
      let run: String
    }

    let workers: [Worker]
  }

  @Test func `is that of a worker that is named`() async throws {
    let product = try Product()
    let refused = try await product.run("logs", "--follow")
    #expect(refused.status == 64)
    #expect(refused.errors.contains("--follow shows one log. Name a process"), "\(refused.errors)")
  }

  @Test func `comes with the prompt of the latest request, as the model was given it`() async throws
  {
    let product = try Product()
    let coordinator = try await product.open("start", "--no-chat")
    try await product.waitUntilServing()
    #expect(try await product.run("ask", "Hello there").status == 0)
    #expect(try await product.run("ask", "Once more").status == 0)
    let json = try await product.run("ps", "--json")
    let tree = try JSONDecoder().decode(Tree.self, from: Data(json.output.utf8))
    let run = try #require(tree.workers.first?.run)
    let shown = try await product.run("logs", run, "--prompt", "--json")
    let prompt = try JSONDecoder().decode(Prompt.self, from: Data(shown.output.utf8))
    // All of the first turn was cached, with what the template puts around it.
    #expect(prompt.cachedText.contains("Hello there"), "\(prompt)")
    #expect(prompt.computedText.contains("Once more"), "\(prompt)")
    #expect(!prompt.cachedText.contains("Once more"))
    #expect(prompt.cached > 0 && prompt.cached < prompt.tokens)
    let text = try await product.run("--color", "always", "logs", run, "--prompt")
    #expect(text.output.hasPrefix("\u{1B}[2m"))
    await coordinator.end(by: SIGTERM)
    #expect(try await product.run("logs", run, "--prompt").status != 0)
  }

  private struct Prompt: Decodable {
    let tokens: Int
    let cached: Int
    let cachedText: String
    let computedText: String
  }

  @Test func `is read to its end when it is put aside, and goes on with the next`() async throws {
    let product = try Product()
    let coordinator = try await product.open("start", "--no-chat")
    try await product.waitUntilServing()
    #expect(try await product.run("ask", "Hello").status == 0)
    let json = try await product.run("ps", "--json")
    let tree = try JSONDecoder().decode(Tree.self, from: Data(json.output.utf8))
    let run = try #require(tree.workers.first?.run)
    let path = product.home + "/state/logs/\(run).log"
    let logs = try await product.open("logs", run, "--follow")
    #expect(await logs.waitForOutput { !$0.isEmpty })

    // All of this happens at once, as far as an occasional reader can tell.
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.seekToEnd()
    try file.write(contentsOf: Data("the last of the first\n".utf8))
    #expect(rename(path, path + ".1") == 0)
    try Data("the first of the second\n".utf8).write(to: URL(filePath: path))
    #expect(await logs.waitForOutput { $0.contains("the first of the second\n") })

    #expect(try await product.run("stop").status == 0)
    _ = await coordinator.end()
    let outcome = await logs.end()
    #expect(outcome.status == 0, "\(outcome.errors)")
    let own = ["the last of the first", "the first of the second"]
    #expect(outcome.lines.filter(own.contains) == own)
    // Both files belong to one log, for a late reader too, and no line was reported twice.
    let late = try await product.run("logs", run)
    #expect(Set(outcome.lines).subtracting(late.lines) == [])
    #expect(late.lines.count { $0 == "the last of the first" } == 1)
  }
}
