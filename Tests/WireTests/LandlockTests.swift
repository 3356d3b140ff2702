import AgentKit
import Testing
import Wire

@Suite struct `An old Landlock` {
  private static let bare = Confinement()
  private static let running = Confinement(permissions: [.network, .running("/bin/true")])

  @Test(arguments: [1, 2] as [Int32])
  func `before version 3 lets files be emptied that may only be read`(version: Int32) {
    let words = "only Landlock \(version), so agents can empty files that they may read"
    #expect(Self.bare.holes(landlock: version) == [words])
    #expect(Self.running.holes(landlock: version).count == 2)
  }

  @Test(arguments: [3, 4, 5] as [Int32])
  func `before version 6 lets programs signal others, and has no hole without programs`(
    version: Int32
  ) {
    #expect(Self.bare.holes(landlock: version) == [])
    let words =
      "only Landlock \(version), so agents that may run programs can signal other processes"
    #expect(Self.running.holes(landlock: version) == [words])
  }

  @Test(arguments: [6, 7] as [Int32]) func `of version 6 and later has no hole`(version: Int32) {
    #expect(Self.running.holes(landlock: version) == [])
  }
}
