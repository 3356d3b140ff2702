import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `The live list, in a terminal` {
  @Test func `gives the terminal back on every end, and opens logs`() async throws {
    let product = try Product()
    let coordinator = try await product.open("start", "--no-chat")
    try await product.waitUntilServing()
    // Without a terminal it is one table.
    let table = try await product.run("top", "--sort", "memory")
    #expect(table.status == 0)
    #expect(table.output.contains("template-model"), "\(table.output)")
    #expect(!table.output.contains("\u{1B}"))
    #expect(try await product.run("--color", "always", "top").output.contains("\u{1B}[1m"))

    for number in [nil, SIGTERM, SIGQUIT, SIGUSR1] {
      let before = Set(product.processes().keys)
      let top = try await Self.open(product)
      #expect(await top.waitForOutput { $0.contains("coordinator") })
      #expect(top.output.contains("\u{1B}[?1049h"))
      if let number {
        let programs = product.processes().filter {
          !before.contains($0.key) && $0.value == "orchestrator"
        }
        for pid in programs.keys { kill(pid, number) }
      } else {
        top.type("l")
        #expect(await top.waitForOutput { $0.contains("following") })
        top.type("qq")
      }
      let outcome = await top.end()
      #expect(outcome.output.contains("\u{1B}[?1049l"), "\(String(describing: number))")
      let modes = outcome.output.matches(of: /MODE ([0-9a-f:]+)/).map(\.output.1)
      #expect(modes.count == 2, "\(outcome.output)")
      #expect(modes.first == modes.last, "\(String(describing: number))")
    }
    await coordinator.end(by: SIGTERM)
    #expect(try await product.run("top").status == 69)
  }

  /// Runs the list in a terminal, which tells its mode before and after.
  private static func open(_ product: Product) async throws -> Session {
    let line = #"echo "MODE $(stty -g)"; orchestrator top; echo "MODE $(stty -g)""#
    return try await product.open(shell: "TERM=xterm script -qfec '\(line)' /dev/null")
  }
}
