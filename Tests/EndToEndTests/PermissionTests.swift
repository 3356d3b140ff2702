import Foundation
import Testing

/// What an agent needs and a person must allow, in the product as a person runs it.
@Suite(.timeLimit(.minutes(10))) struct `An agent that needs more than its model` {
  @Test func `runs when a person has allowed it, and else says how`() async throws {
    let product = try Product()
    let secret = product.home + "/secret.txt"
    try "a word".write(toFile: secret, atomically: true, encoding: .utf8)
    let agents = try product.write(Self.reader(of: secret), as: "Reader")
    func ask(_ arguments: [String]) async throws -> Product.Outcome {
      let session = try await product.start(["ask", "Read it", "--agents", agents] + arguments)
      session.closeInput()
      return await session.end()
    }

    let refused = try await ask([])
    #expect(refused.status == 1)
    #expect(refused.errors.contains("--allow 'reader=read:\(secret)'"), "\(refused.errors)")
    for allowed in ["reader=read:\(secret)", "reader"] {
      let answer = try await ask(["--allow", allowed])
      #expect(answer.output == "a word\n", "\(answer.errors)")
    }
    #expect(try await ask(["--allow", "reader=network"]).status == 1)
    #expect(try await ask(["--sandbox", "off"]).output == "a word\n")
    let fault = try await ask(["--allow", "reader=everything"])
    #expect(fault.status == 64)
    #expect(fault.errors.contains("'reader=everything' is not a permission."))
    // The workers' scratch files are all removed.
    let scratch = product.home + "/state/scratch"
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch) == [])
  }

  @Test func `is allowed what a path led to at first, and not what a later link leads to`()
    async throws
  {
    let product = try Product()
    let link = try Self.link(in: product.home)
    let agents = try product.write(Self.reader(of: link + "/secret.txt"), as: "Reader")
    let options = ["--no-chat", "--agents", agents, "--allow", "reader"]
    let coordinator = try await product.start(["start"] + options)
    try await product.waitUntilServing()
    let first = try await product.run("ask", "Read it", "--session", "one")
    #expect(first.output == "a word\n", "\(first.errors)")
    try Self.mislead(in: product.home)
    let second = try await product.run("ask", "Read it", "--session", "two")
    #expect(second.status == 1)
    #expect(second.output.isEmpty)
    #expect(second.errors.contains("a link that was not there before"), "\(second.errors)")
    await coordinator.end(by: SIGTERM)
  }

  @Test func `is allowed what a path led to before the agent was there`() async throws {
    let product = try Product()
    let link = try Self.link(in: product.home)
    let agents = try product.writeBrief(as: "Zed")
    let options = ["--agents", agents, "--allow", "reader=read:\(link)/secret.txt"]
    let coordinator = try await product.start(["start", "--no-chat"] + options)
    try await product.waitUntilServing()
    try Self.mislead(in: product.home)
    // It begins the session, because its name comes first.
    try product.write(Self.reader(of: link + "/secret.txt"), as: "Reader")
    let refused = try await product.run("ask", "Read it")
    #expect(refused.status == 1)
    #expect(refused.output.isEmpty)
    #expect(refused.errors.contains("a link that was not there before"), "\(refused.errors)")
    await coordinator.end(by: SIGTERM)
  }

  /// Makes two folders with a file each, and a link to the first.
  private static func link(in home: String) throws -> String {
    let manager = FileManager.default
    for (name, text) in [("real", "a word"), ("other", "another word")] {
      let folder = "\(home)/\(name)"
      try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try text.write(toFile: folder + "/secret.txt", atomically: true, encoding: .utf8)
    }
    let link = home + "/notes"
    try manager.createSymbolicLink(atPath: link, withDestinationPath: home + "/real")
    return link
  }

  /// Has the link lead to the other folder, as an agent could that may write there.
  private static func mislead(in home: String) throws {
    let real = home + "/real"
    try FileManager.default.moveItem(atPath: real, toPath: real + "-before")
    try FileManager.default.createSymbolicLink(
      atPath: real,
      withDestinationPath: home + "/other"
    )
  }

  /// An agent that answers with the content of a file.
  private static func reader(of path: String) -> String {
    """
    import AgentKit
    import Foundation

    struct Reader: Agent {
      let name = "reader"
      let description = "reads"
      let permissions: [Permission] = [.reading("\(path)")]

      var body: some DynamicProfile {
        Profile { Instructions("You read.") }
          .model(
            ScriptedLanguageModel(deciding: { _ in
              .text((try? String(contentsOfFile: "\(path)", encoding: .utf8)) ?? "unreadable")
            })
          )
      }
    }
    """
  }
}
