import Foundation
import Testing

@testable import Plugins

/// What is kept of the output of a program.
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
    #expect(outcome.output.contains("bytes omitted]"))
    #expect(outcome.lastLine == "last")
  }

  @Test func `One whose time is over is killed, and is not told as killed by others`() async throws
  {
    let late = try await Subprogram("/bin/sh", ["-c", "exec sleep 600"])
      .run(within: .milliseconds(50))
    #expect(late.isOverdue && late.status == 128 + SIGKILL)
    #expect(late.reason == "it did not finish in time")
    let killed = try await run("kill -9 $$")
    #expect(!killed.isOverdue && killed.reason == "it was killed by signal 9")
    #expect(try await run("exit 3").reason == "it exited with status 3")
    #expect(try await run("echo no pot; exit 3").reason == "no pot")
  }
}
