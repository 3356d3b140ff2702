import AgentKit
import Llama
import Wire

/// What this process has loaded: nothing, a model, or a model and an agent.
///
/// A fork has what its template had, and loads only what is missing.
struct LoadedAgent {
  private var type: (any Agent.Type)?
  private var plugin: String?
  private var agentDescription: AgentDescription?
  private var engine: LlamaEngine?
  private var model: String?
  private var modelDescription: ModelDescription?

  /// Loads what a hello asks for and this process does not have.
  mutating func load(_ hello: Hello) throws(Inability) {
    if let path = hello.plugin, path != plugin {
      do {
        let type = try Plugin.load(path)
        agentDescription = AgentDescription(type.init())
        self.type = type
        plugin = path
      } catch {
        throw Inability(.plugin, error.description)
      }
    }
    if let path = hello.model, path != model {
      let loaded = try LocalModel.load(path, contextSize: hello.contextSize)
      (engine, modelDescription) = (loaded.engine, loaded.description)
      model = path
    }
    if let folder = hello.snapshots { keepPrefixes(in: folder) }
  }

  private func keepPrefixes(in folder: String) {
    guard let engine else { return }
    if engine.facts.canRewind {
      engine.keepPrefixes(in: SnapshotStore(folder: folder) { Log.write($0) })
    } else {
      Log.write(
        "\(engine.facts.description) cannot forget a part of what it has read: its prefixes are"
          + " computed, and not restored"
      )
    }
  }

  /// Does once what every fork would have to do for itself.
  func warm(on core: WarmingCore) {
    guard let engine else { return }
    do {
      try core.compute { cancel in
        guard let agentDescription else { return try engine.touchMemory(cancel: cancel) }
        let prefix = try engine.computePrefix(
          instructions: agentDescription.instructions,
          tools: agentDescription.tools,
          cancel: cancel
        )
        Log.write(
          "the prefix of '\(agentDescription.name)' is \(prefix.count) tokens,"
            + " \(prefix.isRestored ? "restored" : "computed")"
        )
      }
    } catch {
      // A fork then computes it itself: slower, and no less right.
      Log.write("the template stays cold: \(error)")
    }
  }

  var readiness: Readiness {
    Readiness(agent: agentDescription, model: modelDescription)
  }

  /// Has the model, when there is one, ask before it computes.
  func shareCores(through sharing: any CoreSharing) { engine?.shareCores(through: sharing) }

  /// A new agent: what it holds is its own process's, and not its template's.
  func makeAgent() -> sending (any Agent)? { type?.init() }
}

extension LoadedAgent: CustomStringConvertible {
  /// What is loaded, for the log.
  var description: String {
    var parts: [String] = []
    if let agentDescription { parts.append("agent '\(agentDescription.name)'") }
    if let modelDescription {
      parts.append("model \(modelDescription.name), window \(modelDescription.contextSize)")
    }
    return parts.isEmpty ? "nothing loaded" : parts.joined(separator: ", ")
  }
}
