import Foundation
import Testing

@testable import Coordination

/// What the system's service manager is told, which must leave time for this room's own remedies.
struct ServiceTests {
  @Test func `A service is started often enough to give up a turn that ends every coordinator`()
    throws
  {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let file = root.appending(path: "deploy/orchestrator.service")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let name = "StartLimitBurst="
    let line = try #require(lines.first { $0.hasPrefix(name) })
    let starts = try #require(Int(line.dropFirst(name.count)))
    // The one that accepts the prompt, those that resume its turn, and the one that gives it up.
    #expect(starts >= 1 + InterruptedTurn.maximumResumptions + 1)
  }
}
