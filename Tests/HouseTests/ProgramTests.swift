import Foundation
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
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let command = "echo $$ >\(folder)/new && mv \(folder)/new \(folder)/pid && exec sleep 600"
    await #expect(throws: Program.OutOfTime.self) {
      try await Program.run("sh", ["-c", command], within: .seconds(2))
    }
    let text = try String(contentsOfFile: "\(folder)/pid", encoding: .utf8)
    let pid = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    try await eventually("the program has ended") { kill(pid, 0) != 0 }
  }

  @Test func `The signal that ended one is told as by a shell`() async throws {
    #expect(try await Program.run("sh", ["-c", "kill -9 $$"]).status == 128 + 9)
  }
}
