import Testing
import Wire

@Suite struct `The name of a life` {
  @Test func `is its agent's, and unique`() {
    // With 32 random bits, about five pairs of names would collide.
    let names = (0..<200_000).map { _ in RunID.new(agent: "night-owl") }
    #expect(Set(names.map(\.description)).count == names.count)
    #expect(names.allSatisfy { $0.agent == "night-owl" })
    #expect(names.allSatisfy { $0.description.count == "night-owl-".count + 10 })
  }
}
