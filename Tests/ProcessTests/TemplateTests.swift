import AgentKit
import Foundation
import Supervision
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(10))) struct `A forked worker` {
  @Test(arguments: [
    ("title", "A project about a paper boat"), ("brainstorm", "How do I fold a crane?"),
    ("tutorial", "How do I fold a fox?"), ("coach", "I finished the boat."),
  ])
  func `answers as a worker started from scratch does`(agent: String, question: String)
    async throws
  {
    var answers: [WarmWorker.Answer] = []
    for templates in [false, true] {
      try await WarmStage.set(templates: templates) { stage in
        answers.append(try await stage.worker(agent).ask(question))
      }
    }
    try #require(answers.count == 2)
    #expect(!answers[0].entries.isEmpty)
    #expect(answers[1].entries.first == answers[0].entries.first)
    // The template computed the instructions and tools, so they are not computed again.
    #expect(answers[0].tokensCached == 0)
    #expect(answers[1].tokensCached > 10)
  }

  @Test func `started from scratch answers alike with a restored and a computed prefix`()
    async throws
  {
    let question = "How do I fold a crane?"
    var alone = WarmWorker.Answer()
    try await WarmStage.set(templates: false) { stage in
      alone = try await stage.worker("brainstorm").ask(question)
    }
    try await WarmStage.set(templates: false, keepsPrefixes: true) { stage in
      let first = try await stage.worker("brainstorm").ask(question)
      let second = try await stage.worker("brainstorm").ask(question)
      #expect(first.entries.first == alone.entries.first)
      #expect(first.tokensCached == 0)
      #expect(second.entries.first == alone.entries.first)
      #expect(second.tokensIn == alone.tokensIn)
      #expect(second.tokensCached > 64)
      // A prefix whose file was cut short is computed again.
      let folder = stage.folder + "/prefixes/brainstorm"
      let file = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
      #expect(truncate("\(folder)/\(file)", 1000) == 0)
      let third = try await stage.worker("brainstorm").ask(question)
      #expect(third.entries.first == alone.entries.first)
      #expect(third.tokensCached == 0)
    }
  }

  @Test func `exists although another agent's permission names a missing path`()
    async throws
  {
    let missing: [Permission] = [.running("/nowhere/program"), .reading("/etc/hostname/notes")]
    try await WarmStage.set(permissions: missing) { stage in
      let answer = try await stage.worker("brainstorm").ask("How do I fold a crane?")
      #expect(answer.tokensCached > 10)
    }
  }

  @Test func `exists although another agent's permission names a path that cannot be opened`()
    async throws
  {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // A link to itself is refused to root too, as a share is whose server is gone.
    let loop = folder + "/loop"
    #expect(symlink(loop, loop) == 0)
    try await WarmStage.set(permissions: [.reading(loop), .writing(loop)]) { stage in
      let answer = try await stage.worker("brainstorm").ask("How do I fold a crane?")
      #expect(answer.tokensCached > 10)
      let standbys = await stage.roster.standbys()
      let template = try #require(standbys.first { $0.name == "template-model" })
      let log = try String(contentsOfFile: template.log, encoding: .utf8)
      #expect(log.contains("\(loop) cannot be reached by any fork of this template: Too many"))
      var configuration = try stage.configuration("brainstorm")
      configuration.confinement = Confinement(permissions: [.reading(loop)])
      let worker = try await stage.worker(configuration).worker
      var refusal: Inability?
      for await event in worker.events {
        if case .message(.unable(let inability)) = event { refusal = inability }
        // It would wait for its first order.
        if case .message(.ready) = event { worker.terminate(reason: .hung(seconds: 0)) }
      }
      #expect(refusal?.kind == .sandbox)
      #expect(refusal?.problem.contains(loop) == true)
    }
  }

  @Test func `exists although the folder of its agent's prefixes was removed`()
    async throws
  {
    try await WarmStage.set(keepsPrefixes: true) { stage in
      _ = try await stage.worker("brainstorm").ask("How do I fold a crane?")
      try FileManager.default.removeItem(atPath: stage.folder + "/prefixes/brainstorm")
      let answer = try await stage.worker("brainstorm").ask("How do I fold a fox?")
      #expect(answer.tokensCached > 10)
    }
  }

  @Test func `writes no prefixes, unlike one that was started from scratch`()
    async throws
  {
    for templates in [true, false] {
      try await WarmStage.set(templates: templates) { stage in
        let answer = try await stage.worker(try await stage.scribbler()).ask("Write!")
        let words = "listed: true, written: \(!templates)"
        #expect(answer.entries.last?.contains(words) == true, "\(answer.entries)")
      }
    }
  }

  @Test func `is a child of this process, and dies alone`() async throws {
    try await WarmStage.set { stage in
      let first = try await stage.worker("title")
      let parent = try #require(Stranger.parent(of: first.worker.pid))
      #expect(parent == getpid())
      first.worker.terminate(reason: .hung(seconds: 0))
      await #expect(throws: WarmWorker.Ended.self) { try await first.ask("A project about x") }
      let second = try await stage.worker("title").ask("A project about a boat")
      #expect(!second.entries.isEmpty)
    }
  }

  @Test func `survives its template, and the next is forked from another`() async throws {
    try await WarmStage.set { stage in
      let before = try await stage.worker("title")
      let templates = await stage.roster.standbys().map(\.pid)
      #expect(templates.count == 3)
      for pid in templates { kill(pid, SIGKILL) }
      for pid in templates { #expect(await Stranger.hasGone(pid)) }
      #expect(!(try await before.ask("A project about a boat")).entries.isEmpty)
      // The first may still be started from nothing while the loss is being noticed.
      for _ in 0..<3 {
        #expect(!(try await stage.worker("title").ask("A project about a kite")).entries.isEmpty)
      }
    }
  }

  @Test func `shares the huge pages that its template collapsed before forking`()
    async throws
  {
    try await WarmStage.set { stage in
      _ = try await stage.worker("title").ask("A project about a boat")
      for standby in await stage.roster.standbys() {
        let log = try String(contentsOfFile: standby.log, encoding: .utf8)
        #expect(log.contains("joined") == (standby.name == "template-model"), "\(standby.name)")
        guard let joined = log.range(of: "joined") else { continue }
        #expect(log[joined.upperBound...].contains("is ready"))
      }
    }
  }

  @Test func `never sees the tokens of another, eight at a time`() async throws {
    let things = ["boat", "kite", "fox", "lamp", "mask", "drum", "cup", "owl"]
    try await WarmStage.set { stage in
      let alone = try await stage.titles(of: things)
      let together = try await stage.titlesAtOnce(of: things)
      #expect(together == alone)
      #expect(Set(alone.values.map(\.entries)).count > 1, "or there would be nothing to mix up")
    }
  }
}
