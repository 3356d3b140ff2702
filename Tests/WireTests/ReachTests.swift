import AgentKit
import Testing
import Wire

@Suite struct `What a person has allowed to be read` {
  @Test func `is a file or a folder as it is named, and of a model every part`() {
    let confinement = Confinement(permissions: [
      .reading("/notes"), .network, .reading("/m/large-00001-of-00003.gguf"), .writing("/out"),
      .running("/bin/true"), .reading("/m/small.gguf"), .reading("/m/other-00002-of-00003.gguf"),
    ])
    #expect(
      confinement.readablePaths == [
        "/notes", "/m/large-00001-of-00003.gguf", "/m/large-00002-of-00003.gguf",
        "/m/large-00003-of-00003.gguf", "/bin/true", "/m/small.gguf",
        "/m/other-00002-of-00003.gguf",
      ]
    )
  }
}
