package import Transcripts

package struct WorkerConfiguration: Codable, Sendable, Equatable {
  package typealias Tools = [MCPToolDefinition]

  package enum Role: String, Codable, Sendable {
    /// Runs an agent.
    case worker
    /// Does the costly part once and is forked.
    case template
  }

  package var version: Int
  package var run: RunID
  package var role: Role
  /// The compiled agent; `nil` for a model's template and for the program's.
  package var plugin: String?
  /// The GGUF file; `nil` for agents with models of their own and for the program's template.
  package var model: String?
  /// The projector that turns images into embeddings; `nil` takes one that lies beside the model.
  package var projector: String?
  /// The context window in tokens; `nil` leaves it to the model, up to `defaultContextSize`.
  package var contextSize: Int?
  /// The most tokens of a window that is left to the model.
  package static let defaultContextSize = DefaultWindow.tokens
  /// The folder for computed prefixes; `nil` keeps none.
  package var snapshots: String?
  /// Whether it asks for cores before it computes.
  package var sharesCores: Bool
  /// Whether it is started ahead of need; it then rehearses an answer and reports when done.
  package var isAhead: Bool
  /// The agent's description, from which a template computes its prefix without running any of its
  /// code.
  package var agent: AgentDescription?
  /// The tools of MCP servers that its agent may take, in the order of servers and names.
  package var tools: Tools
  /// What it may reach; `nil` leaves it all that its user may.
  package var confinement: Confinement?
  /// The longest silence, in seconds, of a living coordinator after its first ping; `nil` for
  /// unlimited.
  package var silenceLimit: Double?
  /// The bytes of memory for all processes of the coordinator, by which all of them decide alike
  /// how to load a model; `nil` for the machine's.
  package var memory: Int?

  package init(
    version: Int = WireLimits.version,
    run: RunID,
    role: Role = .worker,
    plugin: String?,
    model: String?,
    projector: String? = nil,
    contextSize: Int?,
    snapshots: String? = nil,
    sharesCores: Bool = false,
    isAhead: Bool = false,
    agent: AgentDescription? = nil,
    tools: Tools = [],
    confinement: Confinement? = nil,
    silenceLimit: Double? = nil,
    memory: Int? = nil
  ) {
    self.version = version
    self.run = run
    self.role = role
    self.plugin = plugin
    self.model = model
    self.projector = projector
    self.contextSize = contextSize
    self.snapshots = snapshots
    self.sharesCores = sharesCores
    self.isAhead = isAhead
    self.agent = agent
    self.tools = tools
    self.confinement = confinement
    self.silenceLimit = silenceLimit
    self.memory = memory
  }
}
