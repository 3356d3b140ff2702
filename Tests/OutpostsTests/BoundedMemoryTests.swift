import Foundation
import Supervision
import Testing

@testable import Outposts

@Suite struct `The memory that a host may take` {
  @Test func `is what its processes have left of the bound`() throws {
    let taken = try #require(ProcessMemory.proportional(of: getpid()))
    #expect(BoundedMemory(bound: taken / 2).reading?.free == 0)
    let (bound, all) = (taken + 512 << 20, try #require(MachineMemory().reading))
    let left = try #require(BoundedMemory(bound: bound).reading)
    #expect(left.total == min(bound, all.total))
    // Other tests take and free memory meanwhile.
    #expect(left.free < bound - taken / 2)
  }

  @Test func `is the machine's without a bound`() throws {
    let all = try #require(MachineMemory().reading)
    #expect(BoundedMemory(bound: nil).reading?.total == all.total)
  }
}
