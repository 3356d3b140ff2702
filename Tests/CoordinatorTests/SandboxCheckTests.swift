import Testing
import Wire

@testable import Coordinator

@Suite struct `A sandbox that the kernel leaves incomplete` {
  @Test func `is told of in a line, or refused where it must be complete`() throws {
    var notes: [String] = []
    try SandboxCheck.report(["a", "b"], .default) { notes.append($0) }
    #expect(notes == ["The worker sandbox is incomplete: a; b."])
    #expect(throws: CoordinatorError.noSandbox("a; b")) {
      try SandboxCheck.report(["a", "b"], .required) { _ in }
    }
  }

  @Test(arguments: Confinement.Mode.allCases)
  func `is not told of where nothing is missing`(mode: Confinement.Mode) throws {
    var notes: [String] = []
    try SandboxCheck.report([], mode) { notes.append($0) }
    #expect(notes == [])
  }

  @Test func `is none where nothing is to be confined`() {
    #expect(SandboxCheck.holes(in: Confinement(mode: .off)) == [])
  }
}
