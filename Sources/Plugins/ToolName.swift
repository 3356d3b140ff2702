import Transcripts

/// The rule that chat-completions servers have for the names of tools.
///
/// Local models take any name: it is a text in their prompt and their grammar.
enum ToolName {
  static let maximumLength = 64

  static let rule =
    "Give it a 'name' of at most \(maximumLength) letters from a to z, digits, '_' and '-'."

  static func isAccepted(_ name: String) -> Bool {
    (1...maximumLength).contains(name.utf8.count) && name.utf8.allSatisfy(isAllowed)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch Character(Unicode.Scalar(byte)) {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
    default: false
    }
  }
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
