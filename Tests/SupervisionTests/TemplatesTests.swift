import Foundation
import TestSupport
import Testing
import Wire

@testable import Supervision

@Suite(.timeLimit(.minutes(5))) struct `A template` {
  @Test func `is replaced when its model gets a projector, or another one`() throws {
    let folder = try temporaryFolder()
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
  @Test func `is not retired as idle, nor is its parent`() async throws {
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
    await stage.supervisor.close()
    let made = await waiting
    #expect(made == nil)
  }
}

/// Templates whose processes never become ready.
private final class Stage: Sendable {
  let supervisor: WorkerSupervisor
  let templates: Templates
  private let folder = NSTemporaryDirectory() + "templates-\(UUID().uuidString)"

  init(idleTime: Duration) throws {
    let timeouts = Roster.Timeouts()
    let memory = MemoryQueue(gauge: FakeMemory(free: 1 << 44, total: 1 << 44))
    supervisor = WorkerSupervisor(
      starter: Starter(
        eventLoop: try ChildEventLoop(),
        launcher: LocalLauncher(),
        executable: "\(folder)/worker",
        isReplaced: { false },
        forkTimeout: timeouts.fork
      ),
      timeouts: timeouts,
      cores: nil,
      memory: memory,
      sandbox: nil,
      pidFiles: nil
    )
    templates = Templates(
      supervisor: supervisor,
      cores: nil,
      memory: memory,
      logs: folder,
      idleTime: idleTime
    )
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try "GGUF".write(toFile: "\(folder)/model.gguf", atomically: true, encoding: .utf8)
    try "#!/bin/sh\nexec sleep 600\n"
      .write(toFile: "\(folder)/worker", atomically: true, encoding: .utf8)
    chmod("\(folder)/worker", 0o700)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Returns the configuration of another worker of the same agent.
  func configuration() -> WorkerConfiguration {
    WorkerConfiguration(
      run: .new(agent: "title"),
      plugin: "/nowhere.so",
      model: "\(folder)/model.gguf",
      contextSize: 512
    )
  }
}
