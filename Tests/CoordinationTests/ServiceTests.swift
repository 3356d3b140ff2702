import TestSupport
import Testing

@testable import Coordination

/// What the system's service manager is told, which must leave time for this room's own remedies.
struct ServiceTests {
  @Test func `A service is started often enough to give up a turn that ends every coordinator`()
    throws
  {
    let starts = try #require(try Repository.setting("StartLimitBurst"))
    // The one that accepts the prompt, those that resume its turn, and the one that gives it up.
    #expect(starts >= 1 + InterruptedTurn.maximumResumptions + 1)
  }
}
