import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `The list of processes` {
  @Test func `counts those that have died, and lists them when it is asked to`() async throws {
    let product = try Product()
    let coordinator = try await product.open("start", "--no-chat")
    try await product.waitUntilServing()
    #expect(try await product.run("ask", "Hello", "--session", "one").status == 0)
    // Makes sure that nothing has died yet.
    #expect(try await product.run("ps").output.contains("has died") == false)
    #expect(try await product.run("ps", "--all").output.contains("No process has died."))
    let tree = try await Self.tree(product)
    let worker = try #require(tree.workers.first)
    #expect(worker.session == "one")
    kill(worker.pid, SIGKILL)
    try await eventually("the death is told") { try await Self.tree(product).deaths.count > 0 }

    let table = try await product.run("ps")
    #expect(table.output.contains("1 process has died since the coordinator started."))
    #expect(!table.output.contains("signal 9"))
    let list = try await product.run("ps", "--all")
    let line = try #require(list.lines.first { $0.contains("it was killed by signal 9") })
    for word in ["\(worker.pid)", worker.agent, "one", "baton"] {
      #expect(line.contains(word), "\(list.output)")
    }
    let deaths = try await Self.tree(product).deaths
    #expect(deaths.latest.map(\.pid) == [worker.pid])
    #expect(deaths.latest.first?.cause == "signaled")
    #expect(deaths.latest.first?.session == "one")

    // Another coordinator does not list these deaths.
    #expect(try await product.run("stop").status == 0)
    _ = await coordinator.end()
    let next = try await product.open("start", "--no-chat")
    try await product.waitUntilServing()
    #expect(try await product.run("ps", "--all").output.contains("No process has died."))
    await next.end(by: SIGTERM)
  }

  @Test func `names the tool from which nothing comes back`() async throws {
    let product = try Product()
    let agents = try product.write(
      """
      import AgentKit

      struct Nap: Tool {
        let name = "nap"
        let description = "Never comes back."
        @Generable struct Arguments {}

        func call(arguments: Arguments) async throws -> String {
          try await Task.sleep(for: .seconds(600))
          return ""
        }
      }

      struct Sleeper: Agent {
        let name = "sleeper"
        let description = "sleeps"

        var body: some DynamicProfile {
          Profile { Nap() }.model(ScriptedLanguageModel(.calls([.init("nap")])))
        }
      }
      """,
      as: "Sleeper"
    )
    let coordinator = try await product.open("start", "--no-chat", "--agents", agents)
    try await product.waitUntilServing()
    let asked = try await product.open("ask", "Sleep")
    try await eventually("the tool is named") {
      try await product.run("ps").lines.contains {
        $0.contains("sleeper") && $0.contains("calls nap")
      }
    }
    #expect(try await product.run("stop").status == 0)
    _ = await coordinator.end()
    _ = await asked.end()
  }

  private static func tree(_ product: Product) async throws -> Tree {
    let json = try await product.run("ps", "--json")
    return try JSONDecoder().decode(Tree.self, from: Data(json.output.utf8))
  }

  private struct Tree: Decodable, Sendable {
    struct Worker: Decodable, Sendable {
      let pid: Int32
      let agent: String
      let session: String
    }

    struct Deaths: Decodable, Sendable {
      let count: Int
      let latest: [Death]
    }

    struct Death: Decodable, Sendable {
      let pid: Int32
      let cause: String
      let session: String?
    }

    let workers: [Worker]
    let deaths: Deaths
  }
}
