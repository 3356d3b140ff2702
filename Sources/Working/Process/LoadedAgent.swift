import AgentKit
import CSystemCalls
import Llama
import PlatformLibraries
import Wire

/// What this process has loaded: nothing, a model, or an agent with or without a model.
///
/// A fork has what its template had and loads only what is missing.
struct LoadedAgent {
  private var type: (any Agent.Type)?
  private var agentDescription: AgentDescription?
  private var engine: LlamaEngine?
  private var model: String?
  private var projector: ProjectorFile?
  private var modelDescription: ModelDescription?
  /// Whether a template has computed the agent's prefix, so that its forks have none to keep.
  private var hasPrefix = false
  private let models = WorkerModels()

  /// Confines the calling thread, and those it starts, for what is loaded first.
  mutating func confine(_ configuration: WorkerConfiguration) throws(Inability) {
    guard configuration.role == .template || needsModel(configuration) else { return }
    if needsModel(configuration), let model = configuration.model {
      // Found now, because a confined process cannot list folders.
      projector = configuration.projector.map { ProjectorFile.named($0) } ?? .beside(model)
    }
    try Sandbox.enter(before: .model, configuration, projector: projector?.path)
  }

  private func needsModel(_ configuration: WorkerConfiguration) -> Bool {
    configuration.model != nil && configuration.model != model
  }

  /// Loads what a configuration asks for and this process does not have.
  ///
  /// The agent comes last, after a further confinement: its code never runs in a template and finds
  /// nothing open that is not its own.
  mutating func load(_ configuration: WorkerConfiguration) throws(Inability) {
    let memory = configuration.memory.map { Int64($0) }
    models.note(memory: memory)
    if needsModel(configuration), let path = configuration.model {
      let loaded = try LocalModel.load(
        path,
        contextSize: configuration.contextSize,
        projector: projector,
        isForked: configuration.role == .template,
        memory: memory
      )
      (engine, modelDescription) = (loaded.engine, loaded.description)
      model = path
      models.note(loaded.engine, at: path, contextSize: configuration.contextSize)
    }
    if let folder = configuration.snapshots { keepPrefixes(in: folder) }
    agentDescription = configuration.agent ?? agentDescription
    guard configuration.role == .worker, let path = configuration.plugin else { return }
    try Sandbox.enter(before: .agent, configuration, keepsPrefixes: !hasPrefix)
    if let confinement = configuration.confinement, confinement.mode != .off,
      !confinement.allowsNetwork
    {
      // A worker that cannot ask a server needs neither its key nor a proxy's password. Of its
      // address it keeps what an error may show.
      for name in [ChatCompletionsLanguageModel.keyVariable] + Confinement.proxyVariables {
        csystem_forget_variable(name)
      }
      csystem_forget_credentials(ChatCompletionsLanguageModel.addressVariable)
    }
    do {
      let type = try Plugin.load(path)
      self.type = type
    } catch {
      throw Inability(.plugin, error.description)
    }
    ModelSupply.use(models)
    MCPToolSupply.use(configuration.tools)
    try prepareInitialModel()
  }

  /// Opens the agent's own initial model, if it names one, so that an unusable file is reported
  /// before a turn waits for an answer.
  private mutating func prepareInitialModel() throws(Inability) {
    switch type?.init().initialModel {
    case nil, is SystemLanguageModel:
      if let engine { noteTextTools(engine) }
    case let name as LlamaLanguageModel:
      do {
        let engine = try models.open(name).engine
        modelDescription = ModelDescription(engine)
        if !name.options.contains(.nativeToolsOnly) { noteTextTools(engine) }
      } catch {
        throw Inability(.model, error.description)
      }
    case let name as ChatCompletionsLanguageModel:
      modelDescription = ModelDescription(name: name.name)
    case let model?: modelDescription = ModelDescription(name: "\(Swift.type(of: model))")
    }
  }

  /// Logs that the agent's tools are text to its model, where its chat template supports none.
  private func noteTextTools(_ engine: LlamaEngine) {
    guard !engine.carriesTools, agentDescription?.tools.isEmpty != true else { return }
    Log.write(
      "the chat template of \(engine.facts.name ?? engine.facts.description) supports no"
        + " tools: the instructions describe them, and calls are text"
    )
  }

  private func keepPrefixes(in folder: String) {
    guard let engine else { return }
    if engine.facts.canRewind {
      engine.keepPrefixes(
        in: SnapshotStore(folder: folder, build: Plugin.fingerprint) { Log.write($0) }
      )
    } else {
      Log.write(
        "\(engine.facts.description) cannot forget a part of what it has read: its prefixes are"
          + " computed, and not restored"
      )
    }
  }

  /// Does once what every fork would otherwise have to do for itself.
  mutating func warm(on cores: TemplateCoreLease) {
    do {
      guard let engine else { return try Rehearsal.run() }
      // Threads that only last a step are gone by the fork; others would be missing after it.
      if LlamaEngine.leavesNoThreads { engine.takeCoreCount(from: { cores.count }) }
      defer { engine.takeCoreCount(from: nil) }
      try cores.compute { cancel in
        guard let agentDescription else { return try engine.touchMemory(cancel: cancel) }
        let prefix = try engine.computePrefix(of: agentDescription, cancel: cancel)
        Log.write(
          "the prefix of '\(agentDescription.name)' is \(prefix.count) tokens,"
            + " \(prefix.isRestored ? "restored" : "computed")"
        )
        try engine.rehearse(agentDescription)
        try Rehearsal.run()
      }
      if agentDescription != nil {
        hasPrefix = true
        return
      }
      // Before the first fork: memory collapsed later is no longer shared with it.
      Log.write("joined \(csystem_collapse_memory() / 1_048_576) MB of memory")
    } catch {
      // A fork then computes it itself: slower, but just as correct.
      Log.write("the template stays cold: \(error)")
    }
  }

  /// Returns what a spare does until it is wanted; `nil` when there is nothing to rehearse with.
  func rehearsal() -> AnswerRehearsal? {
    guard let engine, let agentDescription else { return nil }
    return AnswerRehearsal(engine: engine, agent: agentDescription)
  }

  var readiness: Readiness {
    Readiness(model: modelDescription)
  }

  /// Makes the model, if there is one, request cores before it computes.
  func shareCores(through sharing: any CoreSharing) {
    engine?.shareCores(through: sharing)
    models.shareCores(through: sharing)
  }

  /// Makes a new agent, whose state belongs to this process rather than to its template.
  func makeAgent() -> sending (any Agent)? { type?.init() }
}

extension LoadedAgent: CustomStringConvertible {
  var description: String {
    var parts: [String] = []
    if let agentDescription {
      parts.append("agent '\(agentDescription.name)'")
    } else if let type {
      parts.append("\(type)")
    }
    if let modelDescription {
      parts.append("model \(modelDescription.name)")
      if let window = modelDescription.contextSize { parts.append("window \(window)") }
    }
    return parts.isEmpty ? "nothing loaded" : parts.joined(separator: ", ")
  }
}
