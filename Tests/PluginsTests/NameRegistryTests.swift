import AgentKit
import Foundation
import Testing

@testable import Plugins

@Suite struct `Agents of one name` {
  private func plugin(_ path: String, _ name: String = "scout") -> PluginStore.Plugin {
    let file = (path as NSString).lastPathComponent as NSString
    var description = AgentDescription(Scout())
    description.name = name
    return PluginStore.Plugin(
      source: file.deletingPathExtension,
      path: path,
      library: "\(path).so",
      description: description
    )
  }

  @Test func `are stored under different keys`() {
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

  @Test func `keep their name when another source declares it`() {
    let (first, scout, last) = (plugin("/A/Early.swift"), plugin("/A/Scout.swift"), plugin("/A/Z"))
    var names = NameRegistry()
    func register(_ plugins: PluginStore.Plugin...) -> [[String]] {
      let (accepted, findings) = names.register(plugins)
      return [accepted.map(\.path), findings.map(\.description)]
    }
    func words(_ source: String, _ holder: String) -> String {
      "\(source): error: Its name 'scout' is also the name of \(holder), which is used. Names must"
        + " be unique."
    }
    let alone = register(scout)
    #expect(alone == [[scout.path], []])
    let joined = register(first, scout, last)
    #expect(joined == [[scout.path], [words("Early", "Scout"), words("Z", "Scout")]])
    // When the holder is gone, the first of the others gets the name.
    let left = register(first, last)
    #expect(left == [[first.path], [words("Z", "Early")]])
    let late = register(first, scout)
    #expect(late == [[first.path], [words("Scout", "Early")]])
    let none = register()
    #expect(none == [[], []])
    let again = register(scout, first)
    #expect(again == [[scout.path], [words("Early", "Scout")]])
  }

  @Test func `leave agents of other names alone`() {
    var names = NameRegistry()
    let (scout, other) = (plugin("/A/Scout.swift"), plugin("/A/Other.swift", "other"))
    let (accepted, findings) = names.register([other, scout])
    #expect(accepted == [other, scout])
    #expect(findings == [])
  }
}

private struct Scout: Agent {
  let name = "scout"
  let description = "looks around"

  var body: some DynamicProfile {
    Profile { Instructions("You look around.") }
  }
}
