import Foundation
import Specimens
import Testing
import Wire

@testable import Supervision

@Suite(.timeLimit(.minutes(5))) struct `A template` {
  @Test func `is replaced when its model is given sight, or another`() throws {
    let folder = NSTemporaryDirectory() + "sight-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func write(_ name: String, _ text: String = "GGUF") throws {
      try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
    }
    func key(projector: String? = nil) throws -> TemplateKey {
      let hello = Hello(
        run: .new(agent: "title"),
        plugin: "/nowhere.so",
        model: "\(folder)/model.gguf",
        projector: projector,
        contextSize: 512
      )
      return try #require(TemplateKey(hello))
    }
    try write("model.gguf")
    let blind = try key()
    try write("notes.txt")
    #expect(try key() == blind)
    try write("mmproj-model.gguf")
    let seeing = try key()
    #expect(seeing.replaces(blind) && seeing.parent != blind.parent)
    let named = try key(projector: "\(folder)/mmproj-model.gguf")
    try write("mmproj-model.gguf", "GGUF, another")
    #expect(try key(projector: "\(folder)/mmproj-model.gguf").replaces(named))
    #expect(try key().replaces(seeing))
  }
}

@Suite(.timeLimit(.minutes(5))) struct `A template that is begun ahead` {
  private struct NotLaunched: Error {}

  @Test func `is paid for by the first who waits for it, and by no other`() async throws {
    let gate = Gate()
    let memory = Memory(gauge: FakeMemory(free: 1 << 44, total: 1 << 44))
    let (_, lives) = AsyncStream<StandbyLife>.makeStream()
    let templates = Templates(
      pump: try Pump(),
      cores: nil,
      memory: memory,
      lives: lives,
      idleTime: .seconds(600)
    ) { _, _, _ in
      _ = await gate.wait(.seconds(50))
      throw NotLaunched()
    }
    let model = NSTemporaryDirectory() + "model-\(UUID().uuidString).gguf"
    #expect(FileManager.default.createFile(atPath: model, contents: Data("GGUF".utf8)))
    defer { unlink(model) }
    @Sendable func hello() -> Hello {
      Hello(run: .new(agent: "title"), plugin: "/nowhere.so", model: model, contextSize: 512)
    }
    let key = try #require(TemplateKey(hello()))
    let line = key.line
    #expect(line.last == .program)
    let needs = line.map(MemoryNeed.init(template:))
    let fork = MemoryNeed(fork: key)
    #expect(await templates.needs(for: hello()) == needs + [fork])
    async let ahead = templates.template(for: hello(), isAhead: true)
    // The program's template has its memory and is being launched; the others wait and have none.
    try await eventually("the program's has memory") {
      await templates.needs(for: hello()) == needs.dropLast() + [fork]
    }
    async let waiting = templates.template(for: hello())
    try await eventually("the others are paid for") {
      await templates.needs(for: hello()) == [fork]
    }
    gate.open()
    let made = [await ahead, await waiting]
    #expect(made.allSatisfy { $0 == nil })
  }
}
