import Transcripts

/// The agents' names, each of which belongs to one source.
///
/// A person grants permissions to a name, so a source that is added later does not get a name that
/// another one has.
package struct NameRegistry: Sendable {
  /// The path of the source to which each name belongs.
  private var paths: [String: String] = [:]

  package init() {}

  /// Accepts one agent of each name: the one that had the name before, or else the first.
  ///
  /// - Parameter plugins: All agents that can be run now.
  /// - Returns: The accepted agents in the same order, and a finding about each of the others.
  package mutating func register(
    _ plugins: [PluginStore.Plugin]
  ) -> (accepted: [PluginStore.Plugin], findings: [Finding]) {
    var holders: [String: PluginStore.Plugin] = [:]
    for plugin in plugins {
      let name = plugin.description.name
      if holders[name] == nil || plugin.path == paths[name] { holders[name] = plugin }
    }
    paths = holders.mapValues(\.path)
    let findings = plugins.compactMap { plugin in
      holders[plugin.description.name].flatMap { holder in
        holder.path == plugin.path ? nil : Validation.sameName(plugin, as: holder)
      }
    }
    return (plugins.filter { paths[$0.description.name] == $0.path }, findings)
  }
}
