import AgentKit
import Foundation
import Testing

@testable import Plugins

/// Agents that are linked from elsewhere.
@Suite(.timeLimit(.minutes(10)))
struct LinkTests {
  @Test func `A link to a folder or a file is an agent, and what changes behind it is noticed`()
    async throws
  {
    let workshop = try Workshop()
    try workshop.write("../Kitchen/Chef.swift", Workshop.source("Cook", "cooks"))
    try workshop.write("../Bakery/Baker.swift", Workshop.source("Cook", "bakes"))
    try workshop.write("../Lobby/Welcome.swift", Workshop.source("Greeter", "greets"))
    try workshop.link("Cook", to: "../Kitchen")
    try workshop.link("Greeter.swift", to: "\(workshop.folder.path)/Lobby/Welcome.swift")
    let told = Told()
    let store = try await workshop.store()
    func words() async throws -> [String] {
      try await store.refresh(told.note).map(\.description.description)
    }
    #expect(try await words() == ["cooks", "greets"])
    _ = told.take()
    try workshop.write("../Kitchen/Chef.swift", Workshop.source("Cook", "roasts"))
    #expect(try await words() == ["roasts", "greets"])
    #expect(told.take() == [.compiling("Cook")])
    try workshop.write("../Lobby/Welcome.swift", Workshop.source("Greeter", "waves"))
    #expect(try await words() == ["roasts", "waves"])
    #expect(told.take() == [.compiling("Greeter")])
    try workshop.remove("Cook")
    try workshop.link("Cook", to: "../Bakery")
    #expect(try await words() == ["bakes", "waves"])
    #expect(told.take() == [.compiling("Cook")])
  }

  @Test func `Behind a link to a folder are its files, and those of no folder linked from there`()
    throws
  {
    let workshop = try Workshop()
    for file in ["Cook/Cook.swift", "../Kitchen/Chef.swift", "../Kitchen/Sauces/Pesto.swift"] {
      try workshop.write(file, "")
    }
    try workshop.link("Cook/Pesto.swift", to: "../../Kitchen/Sauces/Pesto.swift")
    for name in ["Cook/All", "Cook/Self", "../Kitchen/Self"] { try workshop.link(name, to: ".") }
    try workshop.link("Chef", to: "../Kitchen")
    let sources = try AgentSource.find(in: workshop.agents)
    #expect(sources.map(\.name) == ["Chef", "Cook"])
    let files = sources.flatMap(\.files).map { $0.dropFirst(workshop.agents.count + 1) }
    #expect(
      files == [
        "Chef/Chef.swift", "Chef/Sauces/Pesto.swift", "Cook/Cook.swift", "Cook/Pesto.swift",
      ]
    )
    // A file that is added shows at once.
    try workshop.write("../Kitchen/Sauces/Aioli.swift", "")
    #expect(try AgentSource.find(in: workshop.agents).flatMap(\.files).count == 5)
  }

  @Test func `A link that leads to no agent is told, with a remedy, and takes no other away`()
    async throws
  {
    let workshop = try Workshop()
    for file in ["Greeter.swift", "../Plain.swift", "../notes.txt"] {
      try workshop.write(file, "")
    }
    try workshop.writeStandIns()
    let links: [String: String] = [
      "Above": "..", "Circle.swift": "Circle.swift", "Endless.swift": "/dev/zero", "Here": ".",
      "Lost.swift": "/nonexistent/Lost.swift", "Gone": "/nonexistent", "Null": "/dev/null",
      "Plain": "../Plain.swift",
      // These have nothing to do with agents.
      "NOTES": "../notes.txt", "lost+found": "/nonexistent", ".#Greeter.swift": "me@home.1",
    ]
    for (name, target) in links { try workshop.link(name, to: target) }
    let toolchain = try await workshop.standInToolchain()
    let told = Told()
    let store = try await workshop.store(toolchain)
    #expect(try await store.refresh(told.note).map(\.source) == ["Greeter"])
    func unreadable(_ link: String, _ target: String, _ reason: String) -> String {
      "\(workshop.agents)/\(link) is a link to \(target), which cannot be read: \(reason)."
        + " Correct or remove the link."
    }
    func holdsAll(_ link: String, _ folder: String) -> String {
      "\(workshop.agents)/\(link) is a link to \(folder), which contains the agents folder"
        + " itself. Link to the folder of one agent, or remove the link."
    }
    let agents = URL(filePath: workshop.agents).resolvingSymlinksInPath()
    let above = agents.deletingLastPathComponent().path
    let missing = String(cString: strerror(ENOENT))
    let problems: [String: String] = [
      "Above": holdsAll("Above", above),
      "Circle": unreadable("Circle.swift", "Circle.swift", String(cString: strerror(ELOOP))),
      "Endless": unreadable("Endless.swift", "/dev/zero", "it is not a file"),
      "Gone": unreadable("Gone", "/nonexistent", missing),
      "Here": holdsAll("Here", agents.path),
      "Lost": unreadable("Lost.swift", "/nonexistent/Lost.swift", missing),
      "Null": unreadable("Null", "/dev/null", "it is not a file"),
      "Plain": "\(workshop.agents)/Plain is a link to the Swift file \(above)/Plain.swift."
        + " Rename the link to Plain.swift, or remove it.",
    ]
    #expect(await store.currentFailures == problems)
    // Each is told once, beside the compilation of the greeter.
    #expect(told.take().count == problems.count + 1)
    // Such failures are looked at again when something changes, not before each turn.
    #expect(await store.failuresAreLasting)
  }
}
