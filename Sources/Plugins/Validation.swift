import Transcripts

/// A problem with a set of agents, in words for their author.
package struct Finding: Sendable, Equatable {
  package enum Severity: String, Sendable {
    /// The agents cannot work this way.
    case error
    /// The agents can work, but perhaps not as intended.
    case warning
  }

  package let severity: Severity
  package let source: String
  package let message: String
}

extension Finding: CustomStringConvertible {
  package var description: String { "\(source): \(severity.rawValue): \(message)" }
}

package enum Validation {
  /// Checks agents against each other.
  package static func findings(in plugins: [PluginStore.Plugin]) -> [Finding] {
    let names = Set(plugins.map(\.description.name))
    let readers = ServerReaders(plugins.map(\.description))
    return plugins.enumerated().flatMap { index, plugin -> [Finding] in
      var findings = sameNames(plugin, plugins[..<index])
      findings += unknownAgents(plugin, names)
      findings += unendingLoops(plugin)
      findings += emptyWords(plugin)
      findings += unusableToolNames(plugin, readers)
      findings += unreadableMemory(plugin)
      return findings
    }
  }

  private static func sameNames(
    _ plugin: PluginStore.Plugin,
    _ earlier: ArraySlice<PluginStore.Plugin>
  ) -> [Finding] {
    let name = plugin.description.name
    let other = earlier.first { $0.description.name == name }
    return other.map { [sameName(plugin, as: $0)] } ?? []
  }

  /// Returns the finding about an agent whose name another one has.
  static func sameName(
    _ plugin: PluginStore.Plugin,
    as other: PluginStore.Plugin
  ) -> Finding {
    error(
      plugin,
      "Its name '\(plugin.description.name)' is also the name of \(other.source), which is used."
        + " Names must be unique."
    )
  }

  private static func unknownAgents(
    _ plugin: PluginStore.Plugin,
    _ names: Set<String>
  ) -> [Finding] {
    let description = plugin.description
    let known = names.sorted().joined(separator: ", ")
    let batons = description.batons.filter { !names.contains($0) }.map {
      error(
        plugin,
        "It passes the baton to '\($0)', but there is no such agent. Available agents: \(known)."
      )
    }
    let friends = description.friends.filter { !names.contains($0) }.map {
      error(plugin, "It phones '\($0)', but there is no such agent. Available agents: \(known).")
    }
    let itself = description.batons.filter { $0 == description.name }.map { _ in
      error(plugin, "It passes the baton to itself.")
    }
    return batons + friends + itself
  }

  private static func unendingLoops(_ plugin: PluginStore.Plugin) -> [Finding] {
    let description = plugin.description
    guard description.mode == .required else { return [] }
    if description.tools.isEmpty {
      return [error(plugin, "Its tool calls are required, but it has no tools.")]
    }
    guard !description.hasExit else { return [] }
    guard description.tools.count > description.friends.count else {
      return [
        error(
          plugin,
          "Its tool calls are required, but nothing ends the loop: give it a tool that throws"
            + " FinalAnswer, change the mode in onToolCall, or pass the baton."
        )
      ]
    }
    // Every tool may throw FinalAnswer, or change what the mode depends on.
    return [
      warning(
        plugin,
        "Its tool calls are required, but nothing says that the loop ends: a tool that throws"
          + " FinalAnswer says so by returning Never. A loop that does not end is stopped by its"
          + " caps."
      )
    ]
  }

  private static func emptyWords(_ plugin: PluginStore.Plugin) -> [Finding] {
    let description = plugin.description
    var findings: [Finding] = []
    if Set(description.tools.map(\.name)).count < description.tools.count {
      findings.append(error(plugin, "Two of its tools have the same name."))
    }
    if description.instructions.isEmpty {
      findings.append(warning(plugin, "It has no instructions."))
    }
    return findings
  }

  private static func unusableToolNames(
    _ plugin: PluginStore.Plugin,
    _ readers: ServerReaders
  ) -> [Finding] {
    let agent = plugin.description
    return agent.tools.map(\.name).filter { !ToolName.isAccepted($0) }.compactMap { name in
      let problem = "Its tool \(name.debugDescription) has a name that servers refuse."
      if agent.serverModel != nil { return error(plugin, "\(problem) \(ToolName.rule)") }
      guard let reader = readers.reader(of: agent.name) else { return nil }
      return warning(
        plugin,
        "\(problem) The model of '\(reader)', which shares its conversations, is on one and would"
          + " be sent the calls. \(ToolName.rule)"
      )
    }
  }

  private static func unreadableMemory(_ plugin: PluginStore.Plugin) -> [Finding] {
    guard case .any(let memory?) = plugin.description.host, memory.bytes == nil else { return [] }
    let text = memory.description.debugDescription
    return [
      error(
        plugin,
        "It requires a host with \(text), which is no amount of memory: write \"8 GB\"."
      )
    ]
  }

  private static func warning(_ plugin: PluginStore.Plugin, _ message: String) -> Finding {
    Finding(severity: .warning, source: plugin.source, message: message)
  }

  private static func error(_ plugin: PluginStore.Plugin, _ message: String) -> Finding {
    Finding(severity: .error, source: plugin.source, message: message)
  }
}
