import AgentKit
import Testing

@testable import Llama

/// Tools whose arguments contain themselves.
@Suite(.timeLimit(.minutes(5))) struct RecursionTests {
  /// The definition of a tool that takes nodes, which hold nodes in a property of the given name.
  private func tool(_ name: String, holding property: String) throws -> Transcript.ToolDefinition {
    let node = DynamicGenerationSchema(
      name: "Node",
      properties: [.init(name: property, schema: .init(arrayOf: .init(referenceTo: "Node")))]
    )
    let root = DynamicGenerationSchema(
      name: "Arguments",
      properties: [.init(name: "node", schema: .init(referenceTo: "Node"))]
    )
    return Transcript.ToolDefinition(
      name: name,
      description: "Takes a node.",
      parameters: try GenerationSchema(root: root, dependencies: [node])
    )
  }

  private func rendering(_ tools: [Transcript.ToolDefinition]) throws -> ChatRendering {
    let request = GenerationRequest(
      LanguageModelExecutorGenerationRequest(
        transcript: Transcript(entries: [
          .prompt(.init(segments: [.text(.init(content: "Plant it."))]))
        ]),
        enabledTools: tools,
        generationOptions: GenerationOptions(),
        contextOptions: ContextOptions()
      )
    )
    let templates = try Fixture.model().templates
    return try templates.render(request.rendering(showingTools: true))
  }

  @Test func `Each may have its own type of the same name`() throws {
    let rendering = try rendering([
      tool("plant", holding: "branches"), tool("chain", holding: "links"),
    ])
    #expect(rendering.grammar.contains("branches"))
    #expect(rendering.grammar.contains("links"))
    // The model reads the names as they are.
    #expect(rendering.prompt.contains("/Node\""))
    #expect(!rendering.prompt.contains("/Node-"))
  }

  @Test func `One alone needs no other schema for its grammar`() throws {
    let tool = try tool("plant", holding: "branches")
    #expect(tool.parameters.grammarSchema(keepsOrder: false) == nil)
    #expect(try rendering([tool]).grammar.contains("branches"))
  }
}
