import Transcripts

/// Who has which name while agents come and go.
///
/// A name carries what a person has allowed, so a file that is added does not take it over.
package struct Incumbents: Sendable {
  /// Where the source of each agent is, by the agent's name.
  private var paths: [String: String] = [:]

  package init() {}

  /// Chooses one of the agents of each name: the one that had it before, or else the first.
  /// - Parameter plugins: All agents that can be run now.
  /// - Returns: The chosen agents in the same order, and findings about the others.
  package mutating func choose(
    among plugins: [PluginStore.Plugin]
  ) -> (chosen: [PluginStore.Plugin], findings: [Finding]) {
    var holders: [String: PluginStore.Plugin] = [:]
    for plugin in plugins {
      let name = plugin.description.name
      if holders[name] == nil || plugin.path == paths[name] { holders[name] = plugin }
    }
    paths = holders.mapValues(\.path)
    var chosen: [PluginStore.Plugin] = []
    var findings: [Finding] = []
    for plugin in plugins {
      if let holder = holders[plugin.description.name], holder.path != plugin.path {
        findings.append(Validation.sameName(plugin, as: holder))
      } else {
        chosen.append(plugin)
      }
    }
    return (chosen, findings)
  }
}
