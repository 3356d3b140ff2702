import AgentKit
import Testing

@testable import Plugins

@Suite struct `Agents of one name` {
  private func plugin(_ path: String) -> PluginStore.Plugin {
    let source = path.split(separator: "/").last?.split(separator: ".").first.map(String.init)
    return PluginStore.Plugin(
      source: source ?? "",
      path: path,
      library: "\(path).so",
      description: AgentDescription(Scout())
    )
  }

  @Test func `are told apart by where they are, in what is kept for them`() {
    let paths = ["/one/Agents/Scout.swift", "/two/Agents/Scout.swift", "/two/Agents/Scout"]
    let keys = paths.map { plugin($0).key }
    #expect(Set(keys).count == paths.count)
    #expect(keys == paths.map { plugin($0).key })
    for key in keys {
      #expect(key.hasPrefix("scout-"))
      #expect(key.utf8.count == "scout-".utf8.count + 16)
      #expect(!key.contains("/"))
    }
  }
}

private struct Scout: Agent {
  let name = "scout"
  let description = "looks around"

  var body: some DynamicProfile {
    Profile { Instructions("You look around.") }
  }
}
