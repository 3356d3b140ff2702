import MCP

/// What is remembered of MCP servers: what a person has approved, which is the files that say how they
/// are started and their tools, and how their connections begin.
///
/// What was approved is kept as it was rather than as a hash of it, so that a change can be shown.
struct MCPApprovals: KeptApprovals, Equatable {
  /// The texts of files, by their paths.
  private var files: [String: String] = [:]
  /// The tools of each server as lines, by the path of its file, its name and the tool's.
  private var tools: [String: [String: [String: [String]]]] = [:]
  /// How the connection to each server began the last time, by the path of its file and its name.
  private var eras: [String: [String: MCPEra]] = [:]

  /// How a server's tools differ from what was approved.
  struct Difference: Equatable {
    /// The tools that are new or were changed, and may not be offered.
    var withheld: Set<String> = []
    /// The lines that were removed and added, for a person.
    var lines: [String] = []
  }

  // MARK: Files

  func covers(_ file: MCPFile) -> Bool { files[file.path] == file.content }

  mutating func approve(_ file: MCPFile) { files[file.path] = file.content }

  // MARK: Tools

  /// Compares a server's tools with what was approved.
  ///
  /// Those of a server that is new are approved with the file that starts it.
  mutating func compare(
    _ listed: [MCPListedTool],
    of server: String,
    in file: MCPFile
  ) -> Difference {
    guard let known = tools[file.path]?[server] else {
      approve(listed, of: server, in: file)
      return Difference()
    }
    var difference = Difference()
    for tool in listed where known[tool.name] != tool.lines {
      let before = known[tool.name] ?? []
      difference.withheld.insert(tool.name)
      difference.lines.append("\(tool.name):")
      difference.lines += before.filter { !tool.lines.contains($0) }.map { "  - \($0)" }
      difference.lines += tool.lines.filter { !before.contains($0) }.map { "  + \($0)" }
    }
    return difference
  }

  mutating func approve(_ listed: [MCPListedTool], of server: String, in file: MCPFile) {
    let lines = listed.map { ($0.name, $0.lines) }
    tools[file.path, default: [:]][server] = Dictionary(lines, uniquingKeysWith: { $1 })
  }

  /// The tools of a server that were approved, by name; `nil` for one that has never listed any.
  func tools(of server: String, in file: MCPFile) -> [MCPListedTool]? {
    tools[file.path]?[server].map { known in
      known.sorted { $0.key < $1.key }.compactMap { MCPListedTool(name: $0.key, lines: $0.value) }
    }
  }

  // MARK: Eras

  func era(of server: String, in file: MCPFile) -> MCPEra? { eras[file.path]?[server] }

  mutating func note(_ era: MCPEra, of server: String, in file: MCPFile) {
    eras[file.path, default: [:]][server] = era
  }
}
