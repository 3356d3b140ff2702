import Foundation
import TestSupport

/// A product with one agent that takes the tools of an MCP server and calls what a prompt says.
struct Clerk {
  static let scripts = Product.root + "/Tests/TestSupport/Counterparts"

  let product: Product
  let agents: String
  var folder: String { product.home }

  /// - Parameters:
  ///   - server: The name of the server.
  ///   - command: The program and its arguments.
  ///   - options: The keys of our own, as JSON.
  init(server: String, command: [String], options: String = "{}") throws {
    product = try Product()
    agents = try product.write(Self.source(server), as: "Clerk")
    let arguments = command.dropFirst().map { "\"\($0)\"" }.joined(separator: ", ")
    try write(
      """
      {"command": "\(command[0])", "args": [\(arguments)], "orchestrator": \(options)}
      """,
      as: server
    )
  }

  /// A clerk with a server behind a URL.
  init(server: String, url: String) throws {
    product = try Product()
    agents = try product.write(Self.source(server), as: "Clerk")
    try write(#"{"type": "http", "url": "\#(url)"}"#, as: server)
  }

  private func write(_ entry: String, as server: String) throws {
    try "{\"mcpServers\": {\"\(server)\": \(entry)}}"
      .write(toFile: product.home + "/mcp.json", atomically: true, encoding: .utf8)
  }

  /// A clerk with a server that misbehaves.
  init(hostile kind: String) throws {
    let script = Self.scripts + "/hostile_server.py"
    try self.init(server: kind, command: [Program.python, script, kind])
    let file = folder + "/mcp.json"
    let text = try String(contentsOfFile: file, encoding: .utf8)
      .replacing(
        "{}",
        with: #"{"read": ["\#(Self.scripts)"], "write": ["."], "startTimeout": 120}"#
      )
    try text.write(toFile: file, atomically: true, encoding: .utf8)
  }

  func start(_ arguments: String...) async throws -> Session {
    let session = try await product.start(["start", "--no-chat", "--agents", agents] + arguments)
    try await product.waitUntilServing()
    return session
  }

  /// Has the agent call a tool, and returns what it read.
  func call(_ name: String, _ arguments: String = "{}", session: String = "s") async throws
    -> Product.Outcome
  {
    try await product.run("ask", "\(name) \(arguments)", "--session", session)
  }

  /// The process of the server, once there is one.
  func server() async throws -> Int32 {
    let tree = try await product.run("ps", "--json").output
    let servers = tree.components(separatedBy: "\"servers\"").last ?? ""
    guard let pid = servers.firstMatch(of: /"pid" : (\d+)/).flatMap({ Int32($0.1) }) else {
      throw NoServer(tree: tree)
    }
    return pid
  }

  struct NoServer: Error {
    let tree: String
  }

  private static func source(_ server: String) -> String {
    #"""
    import AgentKit

    struct Clerk: Agent {
      let name = "clerk"
      let description = "calls what it is told to call"

      static let model = ScriptedLanguageModel { request in
        switch request.transcript.last {
        case .toolOutput(let output): return .text("Read: \(output.description)")
        case .prompt(let prompt):
          let words = prompt.description.split(separator: " ", maxSplits: 1).map(String.init)
          return .call(words[0], words[1])
        default: return .text("?")
        }
      }

      var body: some DynamicProfile {
        Profile {
          Instructions("Do as you are told.")
          MCPTools("\#(server)")
        }
        .model(Self.model)
      }
    }
    """#
  }
}
