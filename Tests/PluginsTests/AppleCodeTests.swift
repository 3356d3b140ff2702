import AgentKit
import Foundation
import Testing

@testable import Plugins

/// Agents whose code was written for Apple's platforms.
@Suite(.timeLimit(.minutes(10)))
struct AppleCodeTests {
  @Test func `Agents are compiled whichever module they import, and whichever several`()
    async throws
  {
    let workshop = try Workshop()
    try workshop.write("Ported.swift", Self.agent("Ported", imports: "import FoundationModels"))
    try workshop.write(
      "Guarded.swift",
      Self.agent(
        "Guarded",
        imports: """
          #if canImport(FoundationModels)
            import FoundationModels
            import FoundationModelsUtilities
          #endif
          """
      )
    )
    try workshop.write("Mixed/Mixed.swift", Workshop.source("Mixed", "is mixed", "Clock()"))
    try workshop.write(
      "Mixed/Clock.swift",
      """
      import FoundationModels

      struct Clock: FoundationModels.Tool {
        let description = "Tells the time."
        @FoundationModels.Generable struct Arguments {}
        func call(arguments: Arguments) async throws -> String { Date().formatted() }
      }

      """
    )
    let told = Told()
    let plugins = try await workshop.store().refresh(told.note)
    #expect(plugins.map(\.description.name) == ["guarded", "mixed", "ported"])
    #expect(plugins.map(\.description.tools.count) == [0, 1, 0])
    #expect(told.take().compactMap(\.output) == [])
  }

  @Test func `A warning of the compiler fails no agent`() async throws {
    let workshop = try Workshop()
    let catching = """
      func words(_ error: any Error) -> String {
        (error as? LanguageModelSession.GenerationError)?.errorDescription ?? ""
      }
      """
    let source = Self.agent("Careful", imports: "import FoundationModels") + catching
    try workshop.write("Careful.swift", source)
    #expect(try await workshop.store().refresh().map(\.description.name) == ["careful"])
  }

  @Test func `Only an agent that says so loads the whole of Foundation`() async throws {
    let workshop = try Workshop()
    try workshop.write("Plain.swift", Self.agent("Plain", imports: "import AgentKit"))
    try workshop.write("Ported.swift", Self.agent("Ported", imports: "import FoundationModels"))
    let plugins = try await workshop.store().refresh()
    let needs = try plugins.map { plugin in
      try Data(contentsOf: URL(filePath: plugin.library))
        .range(of: Data("libFoundation.so".utf8)) != nil
    }
    #expect(plugins.map(\.source) == ["Plain", "Ported"])
    #expect(needs == [false, true])
  }

  @Test(arguments: ["FoundationModels", "FoundationModelsUtilities", "Foundation", "Observation"])
  func `No new agent gets the name of a module that agents import`(name: String) throws {
    let workshop = try Workshop()
    #expect(throws: AgentTemplate.Fault.taken(name)) {
      try AgentTemplate.write(name, in: workshop.agents)
    }
  }

  private static func agent(_ type: String, imports: String) -> String {
    Workshop.source(type).replacing("import AgentKit", with: imports)
  }
}
