/// What can be said about an agent without running it.
package struct AgentDescription: Sendable, Equatable, Codable {
  package var name: String
  package var description: String
  package var instructions: String
  package var tools: [Transcript.ToolDefinition]
  /// What it takes from MCP servers, whose tools are known only when it runs.
  package var servers: [MCPSelection]
  package var batons: [String]
  package var friends: [String]
  package var mode: GenerationOptions.ToolCallingMode.Kind
  /// How long its model reasons, which some chat templates write before the instructions.
  package var reasoningLevel: ContextOptions.ReasoningLevel?
  /// The name of its model, if a server runs it.
  package var serverModel: String?
  /// Whether something in the profile can end a loop in which tool calls are required.
  package var hasExit: Bool
  /// Whether it can call functions that the client of a prompt performs.
  package var takesClientTools: Bool
  /// Where it is to run; `nil` leaves that to the coordinator.
  package var host: HostRequirement?
  /// The permissions that a person must grant before the agent can run.
  package var permissions: [Permission]

  package init(
    name: String,
    description: String,
    instructions: String,
    tools: [Transcript.ToolDefinition],
    servers: [MCPSelection] = [],
    batons: [String],
    friends: [String],
    mode: GenerationOptions.ToolCallingMode.Kind,
    reasoningLevel: ContextOptions.ReasoningLevel?,
    serverModel: String?,
    hasExit: Bool,
    takesClientTools: Bool = false,
    host: HostRequirement? = nil,
    permissions: [Permission]
  ) {
    self.name = name
    self.description = description
    self.instructions = instructions
    self.tools = tools
    self.servers = servers
    self.batons = batons
    self.friends = friends
    self.mode = mode
    self.reasoningLevel = reasoningLevel
    self.serverModel = serverModel
    self.hasExit = hasExit
    self.takesClientTools = takesClientTools
    self.host = host
    self.permissions = permissions
  }
}
