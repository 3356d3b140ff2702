import Foundation
import Testing

@testable import Plugins

/// What is kept of what a program prints.
@Suite(.timeLimit(.minutes(10)))
struct SubprogramTests {
  private func run(_ script: String) async throws -> Subprogram.Outcome {
    try await Subprogram("/bin/sh", ["-c", script]).run(within: .seconds(60))
  }

  @Test func `A little is kept as it is`() async throws {
    let outcome = try await run("echo one; echo two >&2; echo three; exit 3")
    #expect(outcome.output == "one\ntwo\nthree\n")
    #expect(outcome.lastLine == "three")
    #expect(outcome.status == 3)
  }

  @Test func `Of a flood the beginning and the end are`() async throws {
    let outcome = try await run("echo first; yes word | head -c 3000000; echo; echo last")
    #expect(outcome.output.utf8.count < 1_200_000)
    #expect(outcome.output.hasPrefix("first\nword\n"))
    #expect(outcome.output.contains("bytes are left out here]"))
    #expect(outcome.lastLine == "last")
  }

  @Test func `An agent that prints without end is told so once, and compiled no more`()
    async throws
  {
    let workshop = try Workshop()
    try workshop.write(
      "Flood.swift",
      """
      import AgentKit

      struct Flood: Agent {
        let name = "flood"
        let description = "prints"

        init() {
          while true { print(String(repeating: "word ", count: 1000)) }
        }

        var body: some DynamicProfile {
          Profile { Instructions("You are there.") }
        }
      }

      """
    )
    let told = Told()
    let store = try await workshop.store()
    #expect(try await store.refresh(told.note).isEmpty)
    let reports = told.take()
    let output = try #require(reports.last?.output)
    #expect(output.contains("prints more than anybody reads"))
    #expect(output.utf8.count < 1000)
    #expect(reports.first == .compiling("Flood"))
    #expect(try await store.refresh(told.note).isEmpty)
    #expect(told.take().isEmpty)
  }
}
