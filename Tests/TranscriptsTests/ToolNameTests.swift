import Testing

@testable import Transcripts

struct `The name of a tool` {
  @Test(arguments: ["a", "Z9_-", String(repeating: "a", count: 64)])
  func `stays where a server accepts it`(name: String) {
    #expect(ToolName.isAccepted(name))
    #expect(ToolName.accepted(name) == name)
  }

  @Test(arguments: ["", "a.b", "a b", "günther", "日本", String(repeating: "é", count: 80)])
  func `is changed where a server does not`(name: String) {
    #expect(!ToolName.isAccepted(name))
    #expect(ToolName.isAccepted(ToolName.accepted(name)), "\(ToolName.accepted(name))")
    #expect(ToolName.accepted(name) != ToolName.accepted(name + "."))
  }
}
