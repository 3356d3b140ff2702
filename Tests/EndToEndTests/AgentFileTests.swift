import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct `An agent file` {
  @Test func `that agents new writes compiles, is checked and answers`() async throws {
    let product = try Product()
    let folder = product.home + "/Agents"
    let written = try await product.run("agents", "new", "Greeter", "--agents", folder)
    #expect(written.lines == [folder + "/Greeter.swift"])
    let again = try await product.run("agents", "new", "Greeter", "--agents", folder)
    #expect(again.status == 73)
    for (name, place, status, words) in [
      ("Agent", folder, 64, "'Agent' already has a meaning"),
      ("a-b", folder, 64, "'a-b' is not a valid name for a Swift type."),
      ("Cook", "/proc/none", 73, "/proc/none/Cook.swift cannot be written. Name a folder"),
    ] as [(String, String, Int32, String)] {
      let refused = try await product.run("agents", "new", name, "--agents", place)
      #expect(refused.status == status, "\(name)")
      #expect(refused.errors.contains(words), "\(refused.errors)")
    }
    let check = try await product.run("agents", "check", "--agents", folder)
    #expect(check.status == 0)
    #expect(check.lines == ["1 agent, 0 findings, 0 unusable"])
    #expect(try await product.run("ask", "Hello", "--agents", folder).status == 0)
  }

  @Test func `that does not compile is shown as the compiler said it`() async throws {
    let product = try Product()
    let folder = product.home + "/Agents"
    try write("let x: Intt = 1\n" + Self.agent("Broken"), to: folder + "/Broken.swift")
    let check = try await product.run("agents", "check", "--agents", folder)
    #expect(check.status == 1)
    #expect(check.errors.contains("Broken.swift:1:8: error: cannot find type 'Intt' in scope"))
  }

  @Test func `that is added while the coordinator runs is there for the next turn`() async throws {
    let product = try Product()
    let folder = product.home + "/Agents"
    try write(Self.agent("First", answering: "I am the first."), to: folder + "/First.swift")
    let coordinator = try await product.open("start", "--agents", folder, "--session", "s")
    coordinator.type("Who are you?\n")
    #expect(await coordinator.waitForOutput { $0.contains("I am the first.") })

    // A changed agent answers in a new process.
    try write(Self.agent("First", answering: "I am changed."), to: folder + "/First.swift")
    coordinator.type("And now?\n")
    #expect(await coordinator.waitForOutput { $0.contains("I am changed.") })

    // An agent that does not compile leaves the last version in use and says so.
    try write("let x: Intt = 1\n", to: folder + "/First.swift")
    coordinator.type("Still there?\n")
    #expect(await coordinator.waitForOutput { $0.hasSuffix("I am changed.\nI am changed.\n") })
    coordinator.closeInput()
    let outcome = await coordinator.end()
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("its previous version stays in use"), "\(outcome.errors)")
    let runs = try await product.run("logs", "--json")
    #expect(runs.output.components(separatedBy: #""agent" : "first""#).count == 3)
  }

  @Test func `stays as it was when orchestrator is replaced on disk, which is told once`()
    async throws
  {
    let product = try Product()
    let program = product.home + "/program"
    let agents = try product.writeBrief(saying: "I am as before.")
    // A link to the worker, in place of which another can be put.
    let install = """
      mkdir \(program) && cp \(Product.executable) \(program)/ && \
      for made in orchestrator-worker Modules AgentKitMacros-tool; \
      do ln -s \(Product.folder)/$made \(program)/; done
      """
    let start = "exec \(program)/orchestrator start --agents \(agents) --model \(Product.model)"
    let chat = try await product.open(shell: "\(install) && \(start)")
    func ask(_ count: Int) async {
      chat.type("Who are you?\n")
      let isTold = await chat.waitForOutput {
        $0.components(separatedBy: "I am as before.").count > count
      }
      #expect(isTold, "\(chat.errors)")
    }
    await ask(1)
    let replaced = try await product.shell("ln -sfn /bin/false \(program)/orchestrator-worker")
    #expect(replaced.status == 0, "\(replaced.errors)")
    try product.writeBrief(saying: "I am changed.")
    await ask(2)
    await ask(3)
    chat.closeInput()
    let outcome = await chat.end()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!outcome.output.contains("I am changed."))
    #expect(outcome.notes(containing: "was replaced on disk").count == 1, "\(outcome.errors)")
  }

  @Test func `that is added with the name of another is told of, and not used`() async throws {
    let product = try Product()
    let folder = product.home + "/Agents"
    try write(Self.agent("First", answering: "I am the first."), to: folder + "/First.swift")
    let coordinator = try await product.open("start", "--no-chat", "--agents", folder)
    try await product.waitUntilServing()
    // The first of both by their files.
    let early = Self.agent("Early", answering: "I am not.")
      .replacing(#""early""#, with: #""first""#)
    for text in ["", early] {
      if !text.isEmpty { try write(text, to: folder + "/Early.swift") }
      for _ in 0..<2 {
        let asked = try await product.run("ask", "Who are you?")
        #expect(asked.output == "I am the first.\n", "\(asked.errors)")
      }
    }
    coordinator.signal(SIGTERM)
    let words = "Early: error: Its name 'first' is also the name of First, which is used."
    let end = await coordinator.end()
    #expect(end.notes(containing: words).count == 1, "\(end.errors)")
  }

  @Test func `that is gone leaves its baton to another, as the transcript shows`() async throws {
    let product = try Product()
    let folder = product.home + "/Agents"
    let ask = ["ask", "Who are you?", "--session", "s", "--agents", folder]
    for type in ["First", "Second"] {
      let text = "I am the \(type.lowercased())."
      try write(Self.agent(type, answering: text), to: folder + "/\(type).swift")
    }
    #expect(try await product.start(ask).end().output == "I am the first.\n")
    try FileManager.default.removeItem(atPath: folder + "/First.swift")
    let outcome = try await product.start(ask).end()
    #expect(outcome.output == "I am the second.\n", "\(outcome.errors)")
    #expect(outcome.errors.contains("first is not available: another agent answers in its place."))
    let transcript = try await product.run("transcript", "s")
    #expect(transcript.lines.contains { $0.hasPrefix("baton: first → second, because") })
    let tree = try await product.run("transcript", "s", "--json")
    #expect(tree.output.contains(#""first → second""#), "\(tree.output)")
  }

  @Test func `that no longer compiles keeps its baton, and its prompts are refused`() async throws {
    let product = try Product()
    let folder = product.home + "/Agents"
    let ask = ["ask", "Who are you?", "--session", "s", "--agents", folder]
    for type in ["Apt", "Bold"] {
      let text = "I am \(type.lowercased())."
      try write(Self.agent(type, answering: text), to: folder + "/\(type).swift")
    }
    #expect(try await product.start(ask).end().output == "I am apt.\n")
    // Of a text that no earlier run of the tests has compiled: a known failure names its folder.
    let flawed = "let x: Intt = 1 // \(UUID())\n" + Self.agent("Apt")
    try write(flawed, to: folder + "/Apt.swift")
    // As after an upgrade, when the last version that compiled is of no use any more.
    let lost = try await product.shell("rm \(product.home)/cache/plugins/Apt-*.so")
    #expect(lost.status == 0, "\(lost.errors)")
    let refused = try await product.start(ask).end()
    #expect(refused.status == 69, "\(refused.errors)")
    let place = "\(folder)/Apt.swift:1:8: error: cannot find type 'Intt' in scope."
    #expect(refused.errors.contains("cannot be used now: \(place)"), "\(refused.errors)")
    try write(Self.agent("Apt", answering: "I am back."), to: folder + "/Apt.swift")
    #expect(try await product.start(ask).end().output == "I am back.\n")
  }

  private static func agent(_ type: String, answering text: String = "Hello.") -> String {
    """
    import AgentKit

    struct \(type): Agent {
      let name = "\(type.lowercased())"
      let description = "answers"

      var body: some DynamicProfile {
        Profile { Instructions("You answer.") }
          .model(ScriptedLanguageModel(deciding: { _ in .text("\(text)") }))
      }
    }

    """
  }

  private func write(_ text: String, to path: String) throws {
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent,
      withIntermediateDirectories: true
    )
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }
}
