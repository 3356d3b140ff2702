import Foundation
import Testing

@Suite(.timeLimit(.minutes(3))) struct `The README` {
  private let readme: String

  init() throws {
    readme = try String(contentsOfFile: Product.root + "/README.md", encoding: .utf8)
  }

  @Test func `declares an agent of twenty lines that compiles without a finding`() async throws {
    let product = try Product()
    let source = try #require(blocks("swift").first)
    #expect(source.split(separator: "\n").count <= 20)
    let folder = product.home + "/Agents"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try source.write(toFile: folder + "/Planner.swift", atomically: true, encoding: .utf8)
    let check = try await product.run("agents", "check", "--agents", folder)
    #expect(check.status == 0, "\(check.errors)")
    #expect(check.lines == ["1 agents, 0 findings, 0 not compiling"])
  }

  @Test func `shows commands that work`() async throws {
    let product = try Product()
    let folder = product.home + "/project"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: Product.agents, toPath: folder + "/Agents")
    // A conversation to look at, with a friend in it.
    let talk = try await product.run(
      "start",
      input: "I want a rainy-day project for kids\nGive it a title\n"
    )
    #expect(talk.status == 0)
    let coordinator = try await product.open("start", "--no-chat")
    while try await product.run("ps").status != 0 {}

    let commands = blocks("sh").flatMap { $0.split(separator: "\n") }
      .filter { $0.hasPrefix("orchestrator ") }
      .map { $0.prefix { $0 != "#" } }
    #expect(commands.count >= 8)
    for command in commands {
      let outcome = try await product.shell("cd \(folder) && \(command)")
      #expect(outcome.status == 0, "\(command): \(outcome.errors)")
      #expect(!outcome.output.isEmpty, "\(command)")
    }
    // The last of them stops it.
    #expect(await coordinator.end().status == 0)
  }

  /// The fenced blocks of a language.
  private func blocks(_ language: String) -> [String] {
    readme.components(separatedBy: "```\(language)\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
  }
}
