/// A tool that the coordinator performs by asking an MCP server.
struct MCPTool: Tool {
  let name: String
  let description: String
  let parameters: GenerationSchema
  let isIdempotent: Bool
  private let definition: MCPToolDefinition
  /// All that the server says about the arguments; `nil` if that cannot be read.
  private let schema: JSONSchema?

  init(_ definition: MCPToolDefinition) {
    self.definition = definition
    name = definition.name
    description = definition.description
    parameters = definition.schema
    isIdempotent = definition.isIdempotent
    schema = try? JSONSchema(json: definition.parameters)
  }

  @concurrent func call(arguments: sending GeneratedContent) async throws -> Prompt {
    guard let orchestration = OrchestrationContext.current, let call = ToolCallContext.call else {
      throw NotOrchestrated(tool: name)
    }
    // A model is held to a part of the schema at most, and told of the rest.
    if let problem = schema?.violation(by: arguments) {
      throw UnreadableArguments(problem: problem)
    }
    switch try await orchestration.ask(try request(arguments), for: call) {
    case .returned(let text, let images):
      let shown = images.map { image in
        Transcript.Segment.attachment(.init(content: .image(.init(imageData: image))))
      }
      return Prompt(segments: [.text(.init(content: text))] + shown)
    case .failed(let reason): return notice(.failed, reason)
    case .denied(let reason): return notice(.denied, reason)
    }
  }

  private func request(_ arguments: GeneratedContent) throws(UnreadableArguments) -> MCPRequest {
    guard let server = definition.server else {
      let offset: Int
      do {
        offset = try arguments.value(Int.self, forProperty: "offset")
      } catch {
        throw UnreadableArguments(problem: String(reflecting: error))
      }
      return .read(output: try arguments.argument("output"), offset: max(0, offset))
    }
    return .call(server: server, tool: definition.tool, arguments: arguments.jsonString)
  }

  private func notice(_ status: ToolCallNotice.Status, _ reason: String) -> Prompt {
    Prompt(segments: [ToolCallNotice(status: status, tool: name, reason: reason).segment])
  }
}
