import Synchronization
import Testing

@testable import Outposts

@Suite(.timeLimit(.minutes(1))) struct `What is waited for with a bound` {
  /// A task that ends when it is cancelled, which the waits do not do.
  private let endless = Task<String?, Never> {
    try? await Task<Never, Never>.sleep(for: .seconds(3600))
    return "late"
  }

  @Test func `is there in time, or is nothing`() async throws {
    defer { endless.cancel() }
    #expect(try await Task<String?, Never> { "x" }.value(within: .seconds(60)) == "x")
    #expect(try await Task<String?, Never> { nil }.value(within: .seconds(60)) == nil)
    #expect(try await endless.value(within: .milliseconds(10)) == nil)
    #expect(!endless.isCancelled, "it goes on")
  }

  @Test func `is not waited for by one that is cancelled`() async throws {
    defer { endless.cancel() }
    let waiting = Task { [endless] in try await endless.value(within: .seconds(3600)) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(!endless.isCancelled, "it goes on")
  }
}
