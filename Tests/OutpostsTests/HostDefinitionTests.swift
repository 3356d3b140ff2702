import Testing

@testable import Outposts

@Suite struct `A host's definition` {
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
