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

  @Test func `keep it as long as they are there, whoever comes`() {
    let (first, scout, last) = (plugin("/A/Early.swift"), plugin("/A/Scout.swift"), plugin("/A/Z"))
    var incumbents = Incumbents()
    func choose(_ plugins: PluginStore.Plugin...) -> [[String]] {
      let (chosen, findings) = incumbents.choose(among: plugins)
      return [chosen.map(\.path), findings.map(\.description)]
    }
    func words(_ source: String, _ holder: String) -> String {
      "\(source): error: Its name 'scout' is also the name of \(holder), which is used. Names must"
        + " be unique."
    }
    let alone = choose(scout)
    #expect(alone == [[scout.path], []])
    let joined = choose(first, scout, last)
    #expect(joined == [[scout.path], [words("Early", "Scout"), words("Z", "Scout")]])
    // Those who are left when it is gone have no claim but their order.
    let left = choose(first, last)
    #expect(left == [[first.path], [words("Z", "Early")]])
    let late = choose(first, scout)
    #expect(late == [[first.path], [words("Scout", "Early")]])
    let none = choose()
    #expect(none == [[], []])
    let again = choose(scout, first)
    #expect(again == [[scout.path], [words("Early", "Scout")]])
  }

  @Test func `are no matter to those of other names`() {
    var incumbents = Incumbents()
    let (scout, other) = (plugin("/A/Scout.swift"), plugin("/A/Other.swift", "other"))
    let (chosen, findings) = incumbents.choose(among: [other, scout])
    #expect(chosen == [other, scout])
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
