import Foundation
import Supervision
import TestSupport
import Testing

/// The short form of the proofs; the long form is `swift run proofs`.
@Suite(.timeLimit(.minutes(20)), .serialized) struct `A short form of a proof` {
  private func prove(_ arguments: String...) async throws -> Product.Outcome {
    let launch = Launch(
      executable: Product.folder + "/proofs",
      arguments: arguments,
      environment: ProcessInfo.processInfo.environment
    )
    let session = try await Session(
      launch,
      eventLoop: try ChildEventLoop(),
      patience: .seconds(900)
    )
    session.closeInput()
    return await session.end()
  }

  @Test func `kills processes, and everything goes on`() async throws {
    let outcome = try await prove("kills", "--trials", "10", "--seed", "7")
    #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
    #expect(outcome.lines.last?.hasPrefix("kills: 10 trials, seed 7: 0 accepted") == true)
  }

  @Test func `ends coordinators by every signal, and nothing is left`() async throws {
    let outcome = try await prove("orphans", "--rounds", "1")
    #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
    #expect(outcome.lines.last?.hasSuffix(": 0 left after one second, 0 zombies") == true)
  }

  @Test(.disabled(if: Sanitizer.isThere, "it is slow, and some turns end by their time"))
  func `has models answer that want no turn to end`() async throws {
    let outcome = try await prove("turns", "--count", "60", "--seed", "7")
    #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
    #expect(outcome.lines.last?.hasSuffix("0 without an end that is named and right") == true)
  }

  @Test func `decodes mutated frames, and refuses them`() async throws {
    let outcome = try await prove("frames", "--count", "20000", "--seed", "7")
    #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
    #expect(outcome.lines.last?.hasSuffix("0 batches crashed or hung") == true)
  }

  // The other ways are tried by SandboxTests.
  @Test(.disabled(if: Sanitizer.isThere, "it is slow"))
  func `tries ways out of workers to what a coordinator keeps, and none is open`() async throws {
    let outcome = try await prove("escapes", "--product")
    #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
    #expect(outcome.lines.last?.hasSuffix(": 0 succeeded") == true)
  }

  @Test func `comes to the doors in every way, and is not let in`() async throws {
    let outcome = try await prove("doors", "--requests", "800", "--slow", "80", "--seconds", "3")
    #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
    #expect(outcome.lines.last?.contains(": 0 in;") == true)
  }

  @Test(.disabled(if: Sanitizer.isThere, "what is freed is kept, and memory grows"))
  func `phones many friends, and nothing is left of them`() async throws {
    let outcome = try await prove(
      "friends",
      "--count",
      "400",
      "--batch",
      "19",
      "--warm-up",
      "100"
    )
    #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
    #expect(outcome.lines.last?.hasPrefix("friends: 400 of 400 answered") == true)
  }

  @Test func `sends mutated frames to live processes, and loses none that was to stay`()
    async throws
  {
    let outcome = try await prove("frames", "--live", "120", "--seed", "7")
    #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
    #expect(outcome.lines.last?.hasSuffix("; 0 crashes, hangs and losses") == true)
  }

  @Test func `runs agents on broken models, and says what is wrong with each`() async throws {
    let outcome = try await prove("models", "--count", "18", "--seed", "7")
    #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
    #expect(outcome.lines.last?.hasSuffix("; 0 problems") == true)
  }

  @Test func `tears a journal, and loses nothing that was accepted`() async throws {
    let outcome = try await prove("torn", "--stride", "193")
    #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
    #expect(outcome.lines.last?.hasSuffix("; 0 lost something that was accepted") == true)
  }

  @Test func `phones workers that are none, and each ends alone`() async throws {
    let outcome = try await prove("workers", "--quick", "--rounds", "1")
    #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
    #expect(outcome.lines.last?.hasSuffix(": 0 that did not end alone and typed") == true)
  }
}
