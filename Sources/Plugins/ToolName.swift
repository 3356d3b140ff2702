import Transcripts

extension ToolName {
  static let rule =
    "Give it a 'name' of at most \(maximumLength) letters from a to z, digits, '_' and '-'."
}

/// Which agents' calls are read by a model on a server: those that share conversations with one by
/// passing the baton.
struct ServerReaders {
  /// The agent on a server, by the agents whose calls it may read.
  private var readers: [String: String] = [:]

  init(_ agents: [AgentDescription]) {
    for agent in agents where agent.serverModel != nil {
      var reached = [agent.name]
      while let name = reached.popLast() {
        guard readers[name] == nil else { continue }
        readers[name] = agent.name
        for other in agents {
          if other.name == name { reached += other.batons }
          if other.batons.contains(name) { reached.append(other.name) }
        }
      }
    }
  }

  func reader(of agent: String) -> String? { readers[agent] }
}
