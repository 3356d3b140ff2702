import Foundation
import Testing

@testable import Plugins

@Suite(.timeLimit(.minutes(10)))
struct `A killed compiler` {
  @Test(arguments: [
    (128 + SIGKILL, "", true), (128 + SIGTERM, "", true), (128 + SIGSEGV, "", false),
    (1, "error: compile command failed due to signal 9 (use -v to see invocation)", true),
    (1, "/agents/Cook/Cook.swift:10:5: error: cannot find 'nothing' in scope", false),
    (3, "", false), (127, "libm.so: cannot open shared object file", false),
  ])
  func `is told from one that failed`(status: Int32, output: String, wasKilled: Bool) {
    #expect(Subprogram.Outcome(status: status, output: output).wasKilled == wasKilled)
  }

  @Test func `is not one that was too slow`() {
    let run = Subprogram.Outcome(status: 128 + SIGKILL, isOverdue: true, output: "")
    #expect(!run.wasKilled)
  }

  @Test func `that is killed again is tried before the next turn`() async throws {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", Workshop.source("Greeter"))
    let toolchain = try await workshop.toolchain(
      compilingBy: "echo '<unknown>:0: error: compile command failed due to signal 9'; exit 1"
    )
    let store = try await workshop.store(toolchain)
    #expect(try await store.refresh().isEmpty)
    #expect(await store.currentFailures.keys.sorted() == ["Greeter"])
    #expect(await !store.failuresAreLasting)
  }

  @Test func `is started again at once`() async throws {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", Workshop.source("Greeter"))
    let mark = "'\(workshop.folder.path)/killed'"
    let toolchain = try await workshop.toolchain(
      compilingBy: """
        [ ! -e \(mark) ] || exec "$swiftc" "$@"
        touch \(mark)
        echo '\(workshop.agents)/Greeter.swift:1:1: error: unfinished'
        echo '<unknown>:0: error: compile command failed due to signal 9'
        exit 1
        """
    )
    let store = try await workshop.store(toolchain)
    #expect(try await store.refresh().count == 1)
    #expect(await store.currentFailures.isEmpty)
  }
}
