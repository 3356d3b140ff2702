import Testing

@testable import MCP

struct `The file of MCP servers` {
  private func read(
    _ json: String,
    environment: [String: String] = [:]
  ) throws -> MCPServerFile {
    try MCPServerFile(json: json, folder: "/project", environment: environment)
  }

  @Test func `is read in the form of other hosts`() throws {
    let file = try read(
      #"""
      {"mcpServers": {
        "search": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "B ${T}"}},
        "git": {"command": "mcp-server-git", "args": ["--repository", "${env:REPO:-.}"],
                "env": {"A": "${B:-c}", "D": "${workspaceFolder}/d"}, "cwd": "sub"}}}
      """#,
      environment: ["T": "token"]
    )
    #expect(file.servers.map(\.name) == ["git", "search"])
    #expect(
      file.servers[0].transport
        == .program(
          MCPProgram(
            command: "mcp-server-git",
            arguments: ["--repository", "."],
            environment: ["A": "c", "D": "/project/d"],
            folder: "/project/sub"
          )
        )
    )
    #expect(
      file.servers[1].transport
        == .http(url: "https://x/mcp", headers: ["Authorization": "B token"])
    )
    #expect(file.notes.isEmpty)
  }

  @Test func `has keys of our own, and ignores those of others aloud`() throws {
    let file = try read(
      #"""
      {"mcpServers": {"a": {"command": "x", "autoApprove": ["*"], "disabled": true,
        "orchestrator": {"tools": {"include": ["p"], "exclude": ["q"], "ask": ["r"]},
          "trusted": true, "network": true, "read": ["/r"], "write": ["/w"], "timeout": 5,
          "startTimeout": 60, "disabled": true, "serial": true}}}}
      """#
    )
    var expected = MCPServerOptions()
    (expected.include, expected.exclude, expected.ask) = (["p"], ["q"], ["r"])
    (expected.isTrusted, expected.allowsNetwork) = (true, true)
    (expected.read, expected.write) = (["/r"], ["/w"])
    (expected.callTimeout, expected.startTimeout) = (5, 60)
    (expected.isDisabled, expected.isSerial) = (true, true)
    #expect(file.server("a")?.options == expected)
    #expect(file.notes.count == 1)
    #expect(file.notes[0].contains("autoApprove, disabled"))
  }

  @Test(arguments: [
    ("{", nil),
    ("{}", nil),
    (#"{"servers": {}}"#, nil),
    (#"{"mcpServers": {"a": {}}}"#, "a"),
    (#"{"mcpServers": {"a": {"command": 1}}}"#, "a"),
    (#"{"mcpServers": {"a": {"command": "x", "args": "y"}}}"#, "a"),
    (#"{"mcpServers": {"a": {"command": "x", "args": ["${UNSET}"]}}}"#, "a"),
    (#"{"mcpServers": {"a": {"command": "x", "env": {"B": "${env:UNSET}"}}}}"#, "a"),
    (#"{"mcpServers": {"a": {"command": "x", "orchestrator": {"trust": true}}}}"#, "a"),
    (#"{"mcpServers": {"a": {"command": "x", "orchestrator": {"timeout": 0}}}}"#, "a"),
    (#"{"mcpServers": {"": {"command": "x"}}}"#, ""),
    (#"{"mcpServers": {"a": {"url": "http://x", "headers": {"X": "a\r\nY: b"}}}}"#, "a"),
    (#"{"mcpServers": {"a": {"url": "http://x", "headers": {"X: Y": "a"}}}}"#, "a"),
  ])
  func `is refused with the server at fault`(json: String, server: String?) {
    let fault = #expect(throws: MCPFileFault.self) { try read(json) }
    #expect(fault?.server == server)
  }
}
