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

  @Test(.timeLimit(.minutes(5)))
  func `are decided on by the memory that a process may have, and not by the machine's`() throws {
    let size = try ModelFile(path: Fixture.modelPath).size
    func identity(memory: Int64) throws -> String {
      var options = LlamaModel.Options()
      options.memory = memory
      return try LlamaModel(path: Fixture.modelPath, options: options).identity
    }
    #expect(try identity(memory: 2 * size).hasSuffix("repacked \(Repacking.isShared)"))
    #expect(try identity(memory: 2 * size - 2).hasSuffix("repacked false"))
  }
}
