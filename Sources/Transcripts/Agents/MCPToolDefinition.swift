/// A tool of an MCP server, as agents are offered it.
package struct MCPToolDefinition: Codable, Sendable, Hashable {
  /// The name by which models call it: that of the server and that of the tool.
  package var name: String
  /// The server; `nil` for the coordinator's own tool, which reads on in a long output.
  package var server: String?
  /// The server's own name for the tool.
  package var tool: String
  package var description: String
  /// The JSON Schema of the arguments, as text: it is part of prompts, where each byte counts.
  package var parameters: String
  /// Whether a call may be made again when it is not known whether it was made.
  package var isIdempotent: Bool

  package init(
    name: String,
    server: String?,
    tool: String,
    description: String,
    parameters: String,
    isIdempotent: Bool
  ) {
    self.name = name
    self.server = server
    self.tool = tool
    self.description = description
    self.parameters = parameters
    self.isIdempotent = isIdempotent
  }

  /// The tool that reads on in an output that was too long for a prompt.
  package static let readOutput = MCPToolDefinition(
    name: "read_output",
    server: nil,
    tool: "read_output",
    description: "Reads on in a tool's output that was too long to be shown as a whole.",
    parameters: """
      {"type": "object", "properties": {\
      "output": {"type": "string", "description": "The name of the output, as it was given"}, \
      "offset": {"type": "integer", "description": "The byte to begin at", "minimum": 0}}, \
      "required": ["output", "offset"]}
      """,
    isIdempotent: true
  )

  /// The definition as a model is shown it.
  package var definition: Transcript.ToolDefinition {
    Transcript.ToolDefinition(name: name, description: description, parameters: schema)
  }

  /// The part of the arguments' schema to which a model can be held while it generates.
  package var schema: GenerationSchema {
    // What is no JSON says nothing about arguments, and the server checks them itself.
    (try? JSONSchema(json: parameters).argumentsConversion(named: name).schema)
      ?? GenerationSchema(name: name, properties: [])
  }
}

/// The names of tools as models call them.
package enum MCPToolName {
  /// Returns the name of a server's tool: that of the server, an underscore and that of the tool.
  package static func name(server: String, tool: String) -> String {
    ToolName.accepted("\(server)_\(tool)")
  }
}

/// The tools that an agent takes from an MCP server.
package struct MCPSelection: Codable, Sendable, Hashable {
  package var server: String
  /// The tools that are taken, by the server's names; `nil` for all.
  package var include: [String]?
  package var exclude: [String]
  /// How many of the agent's own tools come before them.
  package var place: Int

  package init(server: String, include: [String]?, exclude: [String], place: Int) {
    self.server = server
    self.include = include
    self.exclude = exclude
    self.place = place
  }

  /// Returns the tools that are taken of those that there are, in their order.
  ///
  /// The first selection also brings the tool that reads on in long outputs.
  ///
  /// - Parameter known: The names of the tools before them.
  package func tools(
    from all: [MCPToolDefinition],
    after known: some Sequence<String>
  ) -> [MCPToolDefinition] {
    let taken = all.filter { definition in
      definition.server == server && include?.contains(definition.tool) ?? true
        && !exclude.contains(definition.tool)
    }
    let readsOn = taken.isEmpty || known.contains(MCPToolDefinition.readOutput.name)
    return readsOn ? taken : taken + [.readOutput]
  }
}

extension AgentDescription {
  /// Returns the description of the agent that is offered the tools of its servers.
  package func offering(_ all: [MCPToolDefinition]) -> AgentDescription {
    var offering = self
    var added = 0
    for selection in servers {
      let tools = selection.tools(from: all, after: offering.tools.map(\.name))
      // An agent's code writes its description, and any number into it.
      let place = min(max(0, selection.place), self.tools.count) + added
      offering.tools.insert(contentsOf: tools.map(\.definition), at: place)
      added += tools.count
    }
    return offering
  }

  /// The names that more than one of its tools has.
  package var repeatedToolNames: [String] {
    Dictionary(grouping: tools, by: \.name).filter { $0.value.count > 1 }.keys.sorted()
  }
}
