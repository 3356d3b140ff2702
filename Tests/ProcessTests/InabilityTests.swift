import AgentKit
import Coordination
import Foundation
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(5)), .serialized) struct `A worker that cannot start its work` {
  @Test func `says that its plugin is missing`() async throws {
    try await expectInability(.plugin, saying: "cannot be read") { stage in
      stage.cast.give("puppet", stage.folder + "/missing.so")
    }
  }

  @Test func `says that its plugin is no library`() async throws {
    try await expectInability(.plugin, saying: "cannot be loaded") { stage in
      let path = stage.folder + "/text.so"
      try "no library".write(toFile: path, atomically: true, encoding: .utf8)
      stage.cast.give("puppet", path)
    }
  }

  @Test func `says that a library is no plugin`() async throws {
    try await expectInability(.plugin, saying: "declares no agent") { stage in
      try replace("orchestrator_agent", by: "orchestrator_agebt", on: stage)
    }
  }

  @Test func `says that its plugin was made for another build`() async throws {
    try await expectInability(.plugin, saying: "compiled for another build") { stage in
      try replace("orchestrator_agentkit_", by: "orchestrator_agentbit_", on: stage)
    }
  }

  /// Replaces a symbol of a plugin everywhere with another name of the same length.
  private func replace(_ symbol: String, by other: String, on stage: Stage) throws {
    var library = try Data(contentsOf: URL(filePath: stage.troupe.plugin("puppet")))
    var count = 0
    while let range = library.range(of: Data(symbol.utf8)) {
      library.replaceSubrange(range, with: Data(other.utf8))
      count += 1
    }
    #expect(count > 0)
    let path = stage.folder + "/other.so"
    try library.write(to: URL(filePath: path))
    stage.cast.give("puppet", path)
  }

  @Test func `says that its model is missing`() async throws {
    try await expectModelInability { $0 + "/missing.gguf" }
  }

  @Test(arguments: [0, 3, 100, 4000, 100_000])
  func `says that its model is cut short`(length: Int) async throws {
    let whole = URL(filePath: Repository.pocketModel)
    let start = try Data(contentsOf: whole, options: .alwaysMapped).prefix(length)
    try await expectModelInability { folder in
      let path = folder + "/short.gguf"
      try start.write(to: URL(filePath: path))
      return path
    }
  }

  @Test func `says that its model is no model`() async throws {
    try await expectModelInability { folder in
      let path = folder + "/text.gguf"
      try String(repeating: "no model ", count: 1000)
        .write(toFile: path, atomically: true, encoding: .utf8)
      return path
    }
  }

  private func expectModelInability(_ path: (String) throws -> String) async throws {
    try await expectInability(.model, saying: "cannot be used") { stage in
      stage.cast.give(
        "puppet",
        stage.troupe.plugin("puppet"),
        model: try path(stage.folder)
      )
    }
  }

  /// Expects the turn to end with the worker's explanation.
  ///
  /// The worker must end cleanly and the session must continue.
  private func expectInability(
    _ kind: Inability.Kind,
    saying words: String,
    _ spoil: (Stage) throws -> Void
  ) async throws {
    try await Stage.set { stage in
      try spoil(stage)
      guard case .failed(let problem) = try await stage.ask("say anything").exit else {
        Issue.record("the turn did not fail")
        return
      }
      #expect(problem.contains(words))
      await stage.traffic.reach { $0.first?.death != nil }
      let line = try #require(stage.traffic.lines.first)
      let inabilities = line.heard.compactMap { event -> Inability? in
        guard case .message(.unable(let inability)) = event else { return nil }
        return inability
      }
      #expect(inabilities.map(\.kind) == [kind])
      #expect(line.death?.cause == .farewell(.unable))
      stage.restore("puppet")
      #expect(try await stage.ask("say after").answer == "after")
    }
  }
}
