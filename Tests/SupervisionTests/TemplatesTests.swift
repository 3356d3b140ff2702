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
      let configuration = WorkerConfiguration(
        run: .new(agent: "title"),
        plugin: "/nowhere.so",
        model: "\(folder)/model.gguf",
        projector: projector,
        contextSize: 512
      )
      return try #require(TemplateKey(configuration))
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

@Suite(.timeLimit(.minutes(5))) struct `A template that is still being made` {
  @Test func `is not unused, however long it takes, nor is what it is forked from`() async throws {
    let stage = try Stage(idleTime: .zero)
    let templates = stage.templates
    let key = try #require(TemplateKey(stage.configuration()))
    let fork = MemoryNeed.fork(of: key)
    #expect(await templates.need(for: stage.configuration()).bytes > fork.bytes)
    async let waiting = templates.template(for: stage.configuration(), isAhead: true)
    try await eventually("all of them are being made") {
      await templates.need(for: stage.configuration()) == fork
    }
    // Once for each of them, because one stays as long as another is forked from it.
    for _ in key.line { await templates.retireIdle() }
    #expect(await templates.need(for: stage.configuration()) == fork)
    stage.gate.open()
    let made = await waiting
    #expect(made == nil)
  }
}

/// Templates whose processes are not launched before a gate opens, and cannot be launched then.
private final class Stage: Sendable {
  private struct NotLaunched: Error {}

  let gate: Latch
  let templates: Templates
  private let model = NSTemporaryDirectory() + "model-\(UUID().uuidString).gguf"

  init(idleTime: Duration = .seconds(600)) throws {
    let gate = Latch()
    self.gate = gate
    templates = Templates(
      eventLoop: try ChildEventLoop(),
      cores: nil,
      memory: MemoryQueue(gauge: FakeMemory(free: 1 << 44, total: 1 << 44)),
      idleTime: idleTime
    ) { _, _, _ in
      _ = await gate.wait(.seconds(50))
      throw NotLaunched()
    }
    try Data("GGUF".utf8).write(to: URL(filePath: model))
  }

  deinit { unlink(model) }

  /// Returns the configuration of another worker of the same agent.
  func configuration() -> WorkerConfiguration {
    WorkerConfiguration(
      run: .new(agent: "title"),
      plugin: "/nowhere.so",
      model: model,
      contextSize: 512
    )
  }
}
