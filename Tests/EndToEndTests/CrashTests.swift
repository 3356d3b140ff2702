import Foundation
import TestSupport
import Testing

/// Printing a stack trace takes many seconds, during which the coordinator is still there.
@Suite(
  .timeLimit(.minutes(10)),
  .disabled(if: Sanitizer.isThere, "for a trace, Swift reads more of a stack than its variables")
)
struct `A coordinator that crashes` {
  @Test(arguments: [SIGILL, SIGSEGV, SIGABRT, SIGTRAP, SIGBUS, SIGFPE])
  func `ends its workers before it does anything else`(signal: Int32) async throws {
    let product = try Product()
    let coordinator = try await product.start(
      ["start", "--no-chat"],
      environment: ["SWIFT_BACKTRACE": "enable=yes,symbolicate=full,cache=no"]
    )
    try await product.waitUntilServing()
    #expect(try await product.run("ask", "Hello").status == 0)
    let workers = product.processes().filter { $0.value == "orchestrator-worker" }.keys
    // Proves that the search works: the workers are alive and would stay alive.
    #expect(workers.count > 1)
    coordinator.signal(signal)
    for worker in workers { #expect(await Self.hasGone(worker)) }
    coordinator.signal(SIGKILL)
    let end = await coordinator.end()
    #expect([1000 + SIGKILL, 1000 + signal].contains(end.status), "\(end.status)")
  }

  /// Waits until a process is gone, for at most five seconds.
  private static func hasGone(_ pid: Int32) async -> Bool {
    for _ in 0..<500 {
      let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
      guard let stat, stat.split(separator: ")").last?.hasPrefix(" Z") == false else {
        return true
      }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return false
  }
}
