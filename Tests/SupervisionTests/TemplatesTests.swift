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
  @Test func `is paid for by the first who waits for it, and by no other`() async throws {
    let stage = try Stage()
    let templates = stage.templates
    let key = try #require(TemplateKey(stage.hello()))
    let line = key.line
    #expect(line.last == .program)
    let needs = line.map(MemoryNeed.init(template:))
    let fork = MemoryNeed(fork: key)
    #expect(await templates.needs(for: stage.hello()) == needs + [fork])
    async let ahead = templates.template(for: stage.hello(), isAhead: true)
    // The program's template has its memory and is being launched; the others wait and have none.
    try await eventually("the program's has memory") {
      await templates.needs(for: stage.hello()) == needs.dropLast() + [fork]
    }
    async let waiting = templates.template(for: stage.hello())
    try await eventually("the others are paid for") {
      await templates.needs(for: stage.hello()) == [fork]
    }
    stage.gate.open()
    let made = [await ahead, await waiting]
    #expect(made.allSatisfy { $0 == nil })
  }
}

@Suite(.timeLimit(.minutes(5))) struct `A template that is still being made` {
  @Test func `is not unused, however long it takes, nor is what it is forked from`() async throws {
    let stage = try Stage(idleTime: .zero)
    let templates = stage.templates
    let key = try #require(TemplateKey(stage.hello()))
    let needs = key.line.dropLast().map(MemoryNeed.init(template:)) + [MemoryNeed(fork: key)]
    async let waiting = templates.template(for: stage.hello(), isAhead: true)
    try await eventually("the program's is being launched for the others") {
      await templates.needs(for: stage.hello()) == needs
    }
    // Once for each of them, because one stays as long as another is forked from it.
    for _ in key.line { await templates.retireIdle() }
    #expect(await templates.needs(for: stage.hello()) == needs)
    stage.gate.open()
    let made = await waiting
    #expect(made == nil)
  }
}

/// Templates whose processes are not launched before a gate opens, and cannot be launched then.
private final class Stage: Sendable {
  private struct NotLaunched: Error {}

  let gate: Gate
  let templates: Templates
  private let model = NSTemporaryDirectory() + "model-\(UUID().uuidString).gguf"

  init(idleTime: Duration = .seconds(600)) throws {
    let gate = Gate()
    let (_, lives) = AsyncStream<StandbyLife>.makeStream()
    self.gate = gate
    templates = Templates(
      pump: try Pump(),
      cores: nil,
      memory: Memory(gauge: FakeMemory(free: 1 << 44, total: 1 << 44)),
      lives: lives,
      idleTime: idleTime
    ) { _, _, _ in
      _ = await gate.wait(.seconds(50))
      throw NotLaunched()
    }
    try Data("GGUF".utf8).write(to: URL(filePath: model))
  }

  deinit { unlink(model) }

  /// Returns the hello of another worker of the same agent.
  func hello() -> Hello {
    Hello(run: .new(agent: "title"), plugin: "/nowhere.so", model: model, contextSize: 512)
  }
}
