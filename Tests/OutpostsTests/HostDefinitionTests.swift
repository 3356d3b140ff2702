import Foundation
import Testing

@testable import Outposts

@Suite struct `A host's definition` {
  @Test func `needs no more than a name and a launcher`() throws {
    let text = #"{"name": "gpu1", "launch": ["ssh", "gpu1", "orchestrator-worker", "--outpost"]}"#
    let host = try JSONDecoder().decode(HostDefinition.self, from: Data(text.utf8))
    #expect(
      host
        == HostDefinition(
          name: "gpu1",
          launch: ["ssh", "gpu1", "orchestrator-worker", "--outpost"]
        )
    )
  }

  @Test(arguments: [
    ("/models/a.gguf", "/data/models/a.gguf"), ("/models/big/b.gguf", "/big/b.gguf"),
    ("/models", "/data/models"), ("/models2/a.gguf", "/models2/a.gguf"), ("/c.gguf", "/d.gguf"),
  ])
  func `finds a model by the longest path that leads to it`(here: String, there: String) {
    let host = HostDefinition(
      name: "gpu1",
      launch: [],
      models: ["/models": "/data/models", "/models/big": "/big", "/c.gguf": "/d.gguf"]
    )
    #expect(host.place(ofModel: here) == there)
  }
}
