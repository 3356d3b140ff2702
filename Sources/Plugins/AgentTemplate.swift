import Foundation

/// The initial source of a new agent.
package enum AgentTemplate {
  package enum Fault: Error, Equatable, Sendable {
    case notAName(String)
    /// The name already has a meaning, in the agent's own source or to the compiler.
    case taken(String)
    case exists(path: String)
    case unwritable(path: String)
  }

  /// The names used in an agent's source, and those that Swift does not allow for a type.
  private static let taken: Set<String> = [
    "Agent", "AgentKit", "AgentType", "DynamicProfile", "Instructions", "Profile", "Any", "Darwin",
    "Foundation", "FoundationModels", "FoundationModelsUtilities", "Glibc", "Observation",
    "Protocol", "Self", "Swift", "Type",
  ]

  /// Writes an agent that compiles and runs.
  /// - Returns: The path of its file.
  package static func write(_ name: String, in folder: String) throws -> String {
    let type = name.prefix(1).uppercased() + name.dropFirst()
    let path = "\(folder)/\(type).swift"
    guard AgentSource(name: type, path: path, files: [path]).isNamedLikeAType else {
      throw Fault.notAName(name)
    }
    guard AgentName.problem(with: type.lowercased()) == nil else { throw Fault.notAName(name) }
    guard !taken.contains(type) else { throw Fault.taken(type) }
    guard !FileManager.default.fileExists(atPath: path),
      !FileManager.default.fileExists(atPath: "\(folder)/\(type)")
    else { throw Fault.exists(path: path) }
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try source(type).write(toFile: path, atomically: true, encoding: .utf8)
    } catch {
      throw Fault.unwritable(path: path)
    }
    return path
  }

  static func source(_ type: String) -> String {
    """
    import AgentKit

    struct \(type): Agent {
      let name = "\(type.lowercased())"
      let description = "says in a few words what this agent is for"

      var body: some DynamicProfile {
        Profile {
          Instructions("You are \(type.lowercased()). Answer in one short sentence.")
        }
        .rollingWindow(entries: 50)
      }
    }

    """
  }
}

extension AgentTemplate.Fault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notAName(let name):
      "'\(name)' is not a valid name for a Swift type. Use letters and digits, beginning with a"
        + " letter, and at most \(AgentName.maximumBytes) bytes."
    case .taken(let name):
      "'\(name)' already has a meaning in agent code. Choose another name."
    case .exists(let path): "\(path) already exists."
    case .unwritable(let path):
      "\(path) cannot be written. Name a folder with --agents that you own and that has free space."
    }
  }
}
