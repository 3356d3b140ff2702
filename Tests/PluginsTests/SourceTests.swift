import AgentKit
import Foundation
import Testing

@testable import Plugins

/// Sources that cannot be read, or that change while they are being read.
@Suite(.timeLimit(.minutes(10)))
struct SourceTests {
  @Test func `What an editor hides beside a file is no part of an agent`() throws {
    let workshop = try Workshop()
    try workshop.write("Cook/Cook.swift", Workshop.source("Cook"))
    try workshop.write("Cook/.build/Old.swift", "no agent")
    try FileManager.default.createSymbolicLink(
      atPath: "\(workshop.agents)/Cook/.#Cook.swift",
      withDestinationPath: "somebody@somewhere.1"
    )
    let sources = try AgentSource.find(in: workshop.agents)
    #expect(sources.map(\.files) == [["\(workshop.agents)/Cook/Cook.swift"]])
  }

  @Test func `One that cannot be read keeps its last plugin, and takes no other away`()
    async throws
  {
    let workshop = try Workshop()
    try workshop.write("Cook/Cook.swift", Workshop.source("Cook"))
    try workshop.write("Greeter.swift", Workshop.source("Greeter"))
    try workshop.write("Host.swift", Workshop.source("Host"))
    let told = Told()
    let store = try await workshop.store()
    let plugins = try await store.refresh()
    #expect(plugins.count == 3)
    let (gone, foreign) = ("\(workshop.agents)/Cook/Gone.swift", "\(workshop.agents)/Greeter.swift")
    try FileManager.default.createSymbolicLink(atPath: gone, withDestinationPath: "nowhere")
    try Data([0x2F, 0x2F, 0xFF, 0x0A]).write(to: URL(filePath: foreign))
    #expect(try await store.refresh(told.note) == plugins)
    let failures = [
      "Cook": "\(gone) is a link to nowhere, which cannot be read:"
        + " \(String(cString: strerror(ENOENT))). Correct or remove the link.",
      "Greeter": "\(foreign) cannot be read: it is not UTF-8.",
    ]
    #expect(await store.currentFailures == failures)
    // Lasting failures need not be checked again before each turn.
    #expect(await store.failuresAreLasting)
    let reports = told.take()
    #expect(reports.count == 2)
    for (name, output) in failures {
      #expect(reports.contains(.failed(name, output: output, keepsOld: true)))
    }
    #expect(try await store.refresh(told.note) == plugins)
    #expect(told.take().isEmpty)
  }

  // Runs in its own process, which gives up being root because root can read everything.
  @Test func `A folder that cannot be read is told, and takes no other away`() async throws {
    let workshop = try Workshop()
    let closed = ["Closed", "Host/Parts", "lost+found"]
    for file in ["Greeter.swift", "Host/Host.swift"] + closed.map({ $0 + "/File.swift" }) {
      try workshop.write(file, "")
    }
    try workshop.writeStandIns()
    for folder in closed { try #require(chmod("\(workshop.agents)/\(folder)", 0) == 0) }
    defer { for folder in closed { chmod("\(workshop.agents)/\(folder)", 0o700) } }
    await #expect(processExitsWith: .success) { [folder = workshop.folder.path as String] in
      if geteuid() == 0 { try #require(setuid(65534) == 0) }
      let toolchain = try await AgentToolchain(
        beside: folder + "/orchestrator",
        environment: ["ORCHESTRATOR_SWIFTC": folder + "/swiftc"]
      )
      let agents = folder + "/Agents"
      let store = PluginStore(folder: agents, toolchain: toolchain, cache: folder + "/cache")
      let told = Told()
      #expect(try await store.refresh(told.note).map(\.source) == ["Greeter"])
      let reports = told.take()
      let reason = String(cString: strerror(EACCES))
      for (name, path) in [("Closed", "Closed"), ("Host", "Host/Parts")] {
        let output = "\(agents)/\(path) cannot be read: \(reason)."
        #expect(reports.contains(.failed(name, output: output, keepsOld: false)))
      }
      #expect(reports.count == 3, "\(reports)")
      // Such failures are looked at again when something changes, not before each turn.
      #expect(await store.failuresAreLasting)
    }
  }

  @Test func `One that changes while it is compiled is compiled again`() async throws {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", Workshop.source("Greeter", "greets"))
    try workshop.write("../Next.swift", Workshop.source("Greeter", "greets loudly"))
    let next = "'\(workshop.folder.path)/Next.swift'"
    let toolchain = try await workshop.toolchain(
      compilingBy: """
        [ ! -e \(next) ] || mv \(next) '\(workshop.agents)/Greeter.swift'
        exec "$swiftc" "$@"
        """
    )
    let told = Told()
    let store = try await workshop.store(toolchain)
    let loud = try await store.refresh(told.note)
    #expect(loud.map(\.description.description) == ["greets loudly"])
    #expect(told.take() == [.compiling("Greeter"), .compiling("Greeter")])
    // Nothing was cached for the earlier text.
    try workshop.write("Greeter.swift", Workshop.source("Greeter", "greets"))
    let calm = try await store.refresh(told.note)
    #expect(calm.map(\.description.description) == ["greets"])
    #expect(told.take() == [.compiling("Greeter")])
  }

  @Test func `One that never stops changing is given up`() async throws {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", Workshop.source("Greeter"))
    let toolchain = try await workshop.toolchain(
      compilingBy: "echo '// again' >> '\(workshop.agents)/Greeter.swift'"
    )
    let told = Told()
    #expect(try await workshop.store(toolchain).refresh(told.note).isEmpty)
    let reports = told.take()
    let compiling = PluginStore.Report.compiling("Greeter")
    #expect(Array(reports.dropLast()) == [compiling, compiling, compiling])
    #expect(reports.last?.output?.contains("kept changing while it was compiled") == true)
  }
}
