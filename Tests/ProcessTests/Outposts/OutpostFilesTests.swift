import Foundation
import Outposts
import Supervision
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(5))) struct `The files of an outpost` {
  private static let question = "How do I fold a crane?"

  @Test func `are models found by the map of paths, or missing by name`() async throws {
    let models = (Repository.pocketModel as NSString).deletingLastPathComponent
    try await OutpostStage.set(models: [models: "/nowhere"]) { stage in
      let name = (Repository.pocketModel as NSString).lastPathComponent
      await #expect(throws: OutpostError.noModel(host: "there", path: "/nowhere/\(name)")) {
        try await stage.worker("title")
      }
    }
  }

  @Test func `are a model that is sent, and a prefix of it that was computed here`() async throws {
    try await OutpostStage.set(keepsPrefixes: true, change: { $0.copiesModels = true }) { stage in
      let here = try await stage.home.worker("brainstorm").ask(Self.question)
      #expect(here.tokensCached == 0)
      let there = try await stage.ask("brainstorm", Self.question)
      #expect(there.entries.first == here.entries.first)
      #expect(there.tokensCached > 64)
      #expect(stage.logs.contains(/prefix of 'brainstorm' is \d+ tokens, restored/))
      let folder = "\(stage.folder)/orchestrator-outposts-\(getuid())/models"
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
    }
  }

  @Test func `are no prefixes of a model that is another there`() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let copy = folder + "/pocket.gguf"
    try FileManager.default.copyItem(atPath: Repository.pocketModel, toPath: copy)
    try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: copy)
    try await OutpostStage.set(models: [Repository.pocketModel: copy], keepsPrefixes: true) {
      stage in
      _ = try await stage.home.worker("brainstorm").ask(Self.question)
      _ = try await stage.ask("brainstorm", Self.question)
      #expect(stage.logs.contains(/prefix of 'brainstorm' is \d+ tokens, computed/))
    }
  }

  @Test func `are all files of a model that is split`() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for (index, part) in TinySliding.parts(2).enumerated() {
      try part.write(to: URL(filePath: "\(folder)/tiny-0000\(index + 1)-of-00002.gguf"))
    }
    try await OutpostStage.set(change: { $0.copiesModels = true }) { stage in
      var configuration = try stage.home.configuration("title")
      configuration.model = folder + "/tiny-00001-of-00002.gguf"
      let worker = try await stage.outpost.launch(configuration)
      for await event in worker.events {
        guard case .message(.ready(let readiness)) = event else { continue }
        #expect(readiness.model?.name == "tiny-sliding")
        break
      }
      #expect(!worker.hasEnded, "\(stage.logs)")
    }
  }

  @Test func `leave its workers together no more memory than it may take`() async throws {
    let bound = 400 << 20
    try await OutpostStage.set(change: { $0.limits.memory = bound }) { stage in
      let waits = Latch()
      let workers = await withTaskGroup(of: Int.self) { group in
        group.addTask {
          var count = 0
          while count < 200,
            (try? await stage.outpost.launch(stage.home.configuration("title")) { _ in waits.open()
            }) != nil
          {
            count += 1
          }
          return count
        }
        _ = await waits.wait(.seconds(120))
        group.cancelAll()
        return await group.reduce(0, +)
      }
      #expect((1..<200).contains(workers))
      let pid = try #require(await stage.outpost.status.machine?.pid)
      #expect(try #require(ProcessMemory.proportional(of: pid)) <= bound)
    }
  }
}
