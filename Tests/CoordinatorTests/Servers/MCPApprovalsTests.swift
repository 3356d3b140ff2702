import Foundation
import TestSupport
import Testing
import Transcripts
import Wire

@testable import Coordinator
@testable import MCP

struct `What a person approved of MCP servers` {
  private func tool(_ name: String, _ description: String = "does it") throws -> MCPListedTool {
    let json = #"{"name": "\#(name)", "description": "\#(description)", "inputSchema": {}}"#
    return try #require(MCPListedTool(try GeneratedContent(json: json)))
  }

  private func file(_ content: String, in folder: String) throws -> MCPFile {
    try content.write(toFile: "\(folder)/mcp.json", atomically: true, encoding: .utf8)
    return try #require(try MCPFile.read(besides: "\(folder)/Agents", environment: [:]))
  }

  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  @Test func `of a file holds for its content, and survives`() throws {
    try inFolder { folder in
      let first = try file(#"{"mcpServers": {}}"#, in: folder)
      var approvals = MCPApprovals()
      #expect(!approvals.covers(first))
      approvals.approve(first)
      try approvals.write(to: "\(folder)/approvals")
      let read = MCPApprovals(path: "\(folder)/approvals")
      #expect(read == approvals)
      #expect(read.covers(first))
      let second = try file(#"{"mcpServers": {"a": {"command": "x"}}}"#, in: folder)
      #expect(!read.covers(second))
    }
  }

  @Test func `of tools withholds what is new or changed, and shows the difference`() throws {
    try inFolder { folder in
      let file = try file(#"{"mcpServers": {}}"#, in: folder)
      var approvals = MCPApprovals()
      let before = [try tool("a"), try tool("b")]
      #expect(approvals.compare(before, of: "s", in: file) == .init())
      #expect(approvals.compare(before.reversed(), of: "s", in: file) == .init())
      let after = [try tool("b", "does it, and sends it on"), try tool("c")]
      let difference = approvals.compare(after, of: "s", in: file)
      #expect(difference.withheld == ["b", "c"])
      #expect(difference.lines.contains(#"  - description: "does it""#))
      #expect(difference.lines.contains(#"  + description: "does it, and sends it on""#))
      // What was not approved stays so however often it is listed.
      #expect(approvals.compare(after, of: "s", in: file).withheld == ["b", "c"])
      approvals.approve(after, of: "s", in: file)
      #expect(approvals.compare(after, of: "s", in: file) == .init())
      #expect(approvals.compare(before, of: "s", in: file).withheld == ["a", "b"])
    }
  }

  @Test func `of tools does not hold for a namesake elsewhere`() throws {
    try inFolder { one in
      try inFolder { other in
        var approvals = MCPApprovals()
        let first = try file(#"{"mcpServers": {}}"#, in: one)
        let second = try file(#"{"mcpServers": {}}"#, in: other)
        _ = approvals.compare([try tool("a")], of: "s", in: first)
        #expect(approvals.compare([try tool("a", "other")], of: "s", in: second) == .init())
        #expect(approvals.compare([try tool("a", "other")], of: "s", in: first).withheld == ["a"])
        approvals.approve(first)
        #expect(!approvals.covers(second))
      }
    }
  }

  @Test func `is given when starting, beside permissions of agents`() throws {
    let grants = try PermissionGrants(["mcp.json", "mcp:git", "coach"], home: "/h")
    #expect(grants.approvesServerFile)
    #expect(grants.approvedServers == ["git"])
    #expect(grants.strangers(among: ["coach"]).isEmpty)
  }
}

struct `The start of an MCP server` {
  private func launch(
    _ program: MCPProgram,
    _ options: MCPServerOptions = MCPServerOptions(),
    environment: [String: String] = ["PATH": "/usr/bin:/bin", "HOME": "/h", "SECRET": "s"]
  ) throws -> MCPServerLaunch {
    let entry = MCPServerEntry(name: "s", transport: .program(program), options: options)
    return try MCPServerLaunch(program, of: entry, environment: environment)
  }

  private let shell = MCPProgram(command: "sh", arguments: ["-c"], environment: [:], folder: "/tmp")

  @Test func `passes on six variables, and what the file adds`() throws {
    var program = shell
    program.environment = ["TOKEN": "t", "HOME": "/other"]
    let environment = try launch(program).environment
    #expect(environment == ["PATH": "/usr/bin:/bin", "HOME": "/other", "TOKEN": "t"])
  }

  @Test func `finds the program by the search path, and says where there is none`() throws {
    #expect(try launch(shell).program.executable == "/usr/bin/sh")
    var missing = shell
    missing.command = "no-such-program"
    #expect(throws: MCPServerError.self) { try launch(missing) }
    missing.command = "./no-such-program"
    #expect(throws: MCPServerError.self) { try launch(missing) }
  }

  @Test func `grants what the file names and nothing of the home folder`() throws {
    var options = MCPServerOptions()
    options.write = ["~/data"]
    options.allowsNetwork = true
    let permissions = try launch(shell, options).permissions
    #expect(permissions.contains(.writing("/h/data")))
    #expect(permissions.contains(.network))
    #expect(permissions.contains(.reading("/tmp")))
    #expect(!permissions.contains(.reading("/h")))
    #expect(try !launch(shell).permissions.contains(.network))
  }

  @Test func `reaches the folder of a program and of what interprets it`() throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let manager = FileManager.default
    for name in ["app/bin", "runtime/bin"] {
      try manager.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
    }
    let interpreter = "\(folder)/runtime/bin/interpreter"
    for (path, text) in [
      (interpreter, "#!/bin/sh\n"), ("\(folder)/app/bin/server", "#!\(interpreter) -u\n"),
    ] {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      chmod(path, 0o755)
    }
    var program = shell
    program.command = "\(folder)/app/bin/server"
    let permissions = try launch(program).permissions
    #expect(permissions.contains(.running("\(folder)/app")))
    #expect(permissions.contains(.running("\(folder)/runtime")))
    #expect(!permissions.contains(.running(folder)))
  }
}
