import Testing

@testable import Llama

@Suite struct `Repacked weights` {
  @Test func `are worth their memory where all workers share them`() {
    #expect(Repacking.isWorthItsMemory(fileSize: 4 << 30, memory: 16 << 30, isShared: true))
    #expect(!Repacking.isWorthItsMemory(fileSize: 4 << 30, memory: 16 << 30, isShared: false))
  }

  @Test func `leave room for the rest of the machine`() {
    #expect(Repacking.isWorthItsMemory(fileSize: 8 << 30, memory: 16 << 30, isShared: true))
    #expect(!Repacking.isWorthItsMemory(fileSize: 9 << 30, memory: 16 << 30, isShared: true))
  }
}
