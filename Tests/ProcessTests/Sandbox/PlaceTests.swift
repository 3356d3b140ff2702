import AgentKit
import Foundation
import Supervision
import Testing
import Wire

@Suite(.timeLimit(.minutes(5))) struct `A path that an agent is allowed` {
  @Test func `is the place that it led to, and is refused where a link comes later`() async throws {
    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "places-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for name in ["notes", "other"] {
      try FileManager.default.createDirectory(
        atPath: "\(folder)/\(name)",
        withIntermediateDirectories: true
      )
    }
    let (link, notes) = (folder + "/link", folder + "/notes")
    #expect(symlink(notes, link) == 0)
    let troupe = try await Troupe.shared()
    let roster = try Roster(
      executable: troupe.worker,
      sandbox: SandboxPolicy(
        templates: Confinement(mode: .required, scratch: folder + "/scratch")
      )
    )
    func refusal(at places: [String: String]?) async throws -> Inability? {
      let configuration = WorkerConfiguration(
        run: .new(agent: "puppet"),
        plugin: troupe.plugin("puppet"),
        model: nil,
        contextSize: nil,
        confinement: Confinement(permissions: [.reading(link)], places: places)
      )
      let worker = try await roster.launch(configuration, log: "\(folder)/\(configuration.run).log")
      for await event in worker.events {
        if case .message(.unable(let inability)) = event { return inability }
        if case .message(.ready) = event { break }
      }
      await worker.end(by: .retire)
      return nil
    }
    let followed = try await refusal(at: nil)
    #expect(followed == nil)
    let led = try await refusal(at: [link: notes])
    #expect(led == nil)
    let unled = try await refusal(at: [:])
    #expect(unled?.kind == .sandbox)

    #expect(rename(notes, folder + "/moved") == 0)
    #expect(symlink(folder + "/other", notes) == 0)
    let misled = try await refusal(at: [link: notes])
    #expect(misled?.kind == .sandbox)
    let words = "\(link) cannot be made available to the worker: it leads through a link"
    #expect(misled?.problem.hasPrefix(words) == true, "\(misled?.problem ?? "no refusal")")
    await roster.close()
  }
}
