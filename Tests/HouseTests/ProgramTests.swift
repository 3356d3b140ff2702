import TestSupport
import Testing

/// The programs that tests run.
@Suite(.timeLimit(.minutes(1)))
struct ProgramTests {
  @Test func `What one printed and how it ended is told`() async throws {
    let outcome = try await Program.run("sh", ["-c", "echo one; echo two >&2; exit 3"])
    #expect(outcome.status == 3)
    #expect(outcome.output == "one\n")
    #expect(outcome.errors == "two\n")
  }

  @Test func `One that does not end is told to`() async throws {
    await #expect(throws: Program.OutOfTime.self) {
      try await Program.run("sleep", ["600"], within: .milliseconds(100))
    }
  }
}
