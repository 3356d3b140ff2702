import Testing

@testable import Commands

@Suite struct `Names that a shell completes` {
  @Test func `begin with what was typed, and are ones that every shell can take`() {
    let names = ["crafts", "crew", "my talk", "cr;rm -rf", "cr$(x)", "cr\u{202E}x", "créole"]
    #expect(Names.shown(names, "cr") == ["crafts", "crew", "créole"])
    #expect(Names.shown(names, "x").isEmpty)
  }
}
