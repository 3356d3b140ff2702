import AgentKit
import Foundation
import Testing

@testable import Plugins

@Suite(.timeLimit(.minutes(10))) struct `The name of an agent` {
  @Test(arguments: ["a", "night-owl", "_9", "Title_2", "ähre", String(repeating: "x", count: 64)])
  func `is good when a folder can have it`(name: String) {
    #expect(AgentName.problem(with: name) == nil)
  }

  @Test(arguments: [
    "", ".", "..", ".hidden", "../../..", "/etc", "a/b", "a.b", "a b", "a\0", "a\n", "a\u{1B}[2J",
    "-a", "-\u{301}", "a\u{202E}b", String(repeating: "x", count: 65),
    // One character whose first scalar is a letter.
    "\u{0D4E}/",
  ])
  func `is refused when it could be another path, with what to do`(name: String) throws {
    let problem = try #require(AgentName.problem(with: name))
    #expect(problem.contains("Give it a 'name' of letters, digits, '_' and '-'"))
    #expect(!problem.unicodeScalars.contains { $0.value < 0x20 })
  }

  @Test func `is checked when the agent is compiled, and its last plugin is kept`() async throws {
    let workshop = try Workshop()
    let good = Workshop.source("Greeter")
    let bad = good.replacing(#"name = "greeter""#, with: #"name = "../../..""#)
    try workshop.write("Greeter.swift", bad)
    let told = Told()
    let store = try await workshop.store()
    #expect(try await store.refresh(told.note).isEmpty)
    let problem = try #require(AgentName.problem(with: "../../.."))
    #expect(
      told.take() == [
        .compiling("Greeter"), .failed("Greeter", output: problem, keepsOld: false),
      ]
    )
    #expect(await store.currentFailures == ["Greeter": problem])

    try workshop.write("Greeter.swift", good)
    let plugins = try await store.refresh()
    #expect(plugins.map(\.description.name) == ["greeter"])
    try workshop.write("Greeter.swift", bad)
    #expect(try await store.refresh(told.note) == plugins)
    #expect(told.take().last == .stillFails("Greeter", keepsOld: true))
    #expect(await store.currentFailures == ["Greeter": problem])
  }

  @Test func `is checked when the plugin was there already`() async throws {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", Workshop.source("Greeter"))
    let plugin = try #require(try await workshop.store().refresh().first)
    let file = plugin.library.replacing(".so", with: ".json")
    var description = plugin.description
    description.name = "../../.."
    try JSONEncoder().encode(description).write(to: URL(filePath: file))
    let told = Told()
    #expect(try await workshop.store().refresh(told.note).isEmpty)
    let problem = try #require(AgentName.problem(with: "../../.."))
    #expect(told.take() == [.failed("Greeter", output: problem, keepsOld: false)])
  }
}
