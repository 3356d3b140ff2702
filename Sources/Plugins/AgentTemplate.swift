import Foundation

/// The first version of an agent that somebody begins to write.
package enum AgentTemplate {
  package enum Fault: Error, Equatable, Sendable {
    case notAName(String)
    case exists(path: String)
  }

  /// Writes an agent that compiles and runs.
  /// - Returns: The path of its file.
  package static func write(_ name: String, in folder: String) throws -> String {
    let type = name.prefix(1).uppercased() + name.dropFirst()
    let path = "\(folder)/\(type).swift"
    guard AgentSource(name: type, path: path, files: [path]).isNamedLikeAType else {
      throw Fault.notAName(name)
    }
    guard AgentName.problem(with: type.lowercased()) == nil else { throw Fault.notAName(name) }
    guard !FileManager.default.fileExists(atPath: path),
      !FileManager.default.fileExists(atPath: "\(folder)/\(type)")
    else { throw Fault.exists(path: path) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try source(type).write(toFile: path, atomically: true, encoding: .utf8)
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
      "'\(name)' is no name for a Swift type. Use letters and digits, a letter first, and"
        + " \(AgentName.maximumBytes) bytes at most."
    case .exists(let path): "\(path) exists already."
    }
  }
}
