import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct `The README` {
  private let readme: String
  /// The guides for operators that the README links to.
  private let guides: [String]

  init() throws {
    func text(_ path: String) throws -> String {
      try String(contentsOfFile: Product.root + "/" + path, encoding: .utf8)
    }
    readme = try text("README.md")
    guides = try ["operating", "http", "mcp-clients", "telemetry"].map { name in
      try text("deploy/guide/\(name).md")
    }
  }

  @Test func `shows a chat that goes as it was recorded`() async throws {
    let picture = try #require(Self.blocks("", in: readme).first { $0.hasPrefix("$ deploy/start") })
    let lines = picture.split(separator: "\n").dropFirst(2)
    let prompts = lines.filter { $0.hasPrefix("› ") }.map { $0.dropFirst(2) + "\n" }
    #expect(prompts.count == 4)
    let chat = try await Product().run("start", input: prompts.joined())
    #expect(chat.status == 0, "\(chat.errors)")
    let shown = lines.filter { !$0.hasPrefix("› ") }.map { Self.masked(String($0)) }
    #expect(shown.filter(chat.lines.contains) == chat.lines)
    let notes = chat.errors.split(separator: "\n").map { Self.masked(String($0)) }
    let noted = shown.filter { !chat.lines.contains($0) }
    #expect(noted.count > 8)
    #expect(noted.filter { !notes.contains($0) } == [], "\(chat.errors)")
  }

  /// A line without the parts that differ on every run.
  private static func masked(_ line: String) -> String {
    line.replacing(/pid \d+/, with: "pid N").replacing(/\d+ tokens, [\d.]+ s/, with: "N tokens")
  }

  @Test func `declares an agent of twenty lines that compiles without a finding`() async throws {
    let product = try Product()
    let source = try #require(Self.blocks("swift", in: readme).first)
    #expect(source.split(separator: "\n").count <= 20)
    let folder = product.home + "/Agents"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try source.write(toFile: folder + "/Planner.swift", atomically: true, encoding: .utf8)
    let check = try await product.run("agents", "check", "--agents", folder)
    #expect(check.status == 0, "\(check.errors)")
    #expect(check.lines.last == "1 agent, 0 findings, 0 unusable")
  }

  @Test func `leads to a guide whose first agent answers from its script`() async throws {
    let product = try Product()
    let guide = Product.root + "/Sources/AgentKit/AgentKit.docc/FirstAgent.md"
    let samples = try String(contentsOfFile: guide, encoding: .utf8)
      .components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
    let script = try #require(samples.first { $0.contains("extension Packer") })
    let agent = try #require(samples.first).replacing(
      "    .temperature(0.2)",
      with: "    .temperature(0.2)\n    .model(Self.script)"
    )
    let agents = try product.write(agent + script, as: "Packer")
    let options = ["--agents", agents, "--agent", "packer", "--session", "trial"]
    let asked = try await product.start(["ask", "I go to Oslo"] + options)
    asked.closeInput()
    let answer = await asked.end()
    #expect(answer.output == "A raincoat.\n", "\(answer.errors)")
    let transcript = try await product.run("transcript", "trial")
    #expect(transcript.output.contains("Rain in Oslo, 12 degrees."), "\(transcript.output)")
  }

  @Test func `shows commands that work, and so do its guides`() async throws {
    let product = try Product()
    let folder = product.home + "/project"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: Product.agents, toPath: folder + "/Agents")
    try "How do I fold a boat?\n"
      .write(toFile: folder + "/question.txt", atomically: true, encoding: .utf8)
    // A conversation to inspect, with a friend in it.
    let talk = try await product.run(
      "start",
      input: "I want a rainy-day project for kids\nGive it a title\n"
    )
    #expect(talk.status == 0)
    let coordinator = try await product.open("start", "--no-chat", "--listen", "0")
    let port = try await `The doors`.port(of: coordinator)
    try await product.waitUntilServing()

    // The README comes last because its last command stops the coordinator.
    let shown = (guides + [readme]).map { Self.blocks("sh", in: $0) }
    #expect(shown.allSatisfy { !$0.isEmpty })
    let commands = shown.joined().map(Self.commands)
    let looks = try #require(commands.last { $0.last == "orchestrator stop" })
    #expect(commands.joined().count >= 16)
    for block in shown.joined() where block.contains("curl ") {
      // A list of processes shows their arguments; a shell's own printf is no process.
      let arguments = block.split(separator: "curl ", maxSplits: 1).last ?? ""
      #expect(!arguments.contains("/token"), "\(block)")
      // In a test, the files of XDG folders are in the product's home, and the port is a free one.
      let line = block.replacing("$XDG_RUNTIME_DIR/orchestrator", with: product.home + "/run")
        .replacing("8765", with: "\(port)")
      let outcome = try await product.shell(line)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let last = outcome.lines.last?.replacing(#"": "#, with: #"":"#)
      #expect(last?.contains(#""answer":"Here is how to fold the boat:"#) == true, "\(block)")
    }
    // Every inspecting command supports `--json`; the last one stops the coordinator.
    for command in looks.dropLast().map({ $0 + " --json" }) + commands.joined() {
      let outcome = try await product.shell("cd \(folder) && \(command)")
      #expect(outcome.status == 0, "\(command): \(outcome.errors)")
      #expect(!outcome.output.isEmpty, "\(command)")
      guard command.hasSuffix("--json") else { continue }
      // `ask` reports events as lines of JSON; every other command prints one document.
      for json in command.contains(" ask ") ? outcome.lines : [outcome.output] {
        #expect(throws: Never.self, "\(command): \(json)") {
          try JSONSerialization.jsonObject(with: Data(json.utf8))
        }
      }
    }
    #expect(await coordinator.end().status == 0)
  }

  @Test func `has MCP clients start a server that lists the agents`() async throws {
    let product = try Product()
    let guide = try #require(guides.first { $0.hasPrefix("# Agents for MCP clients") })
    let pages = [readme, guide]
    let pipes = pages.flatMap { Self.blocks("sh", in: $0) }.filter {
      $0.contains("| orchestrator mcp")
    }
    #expect(pipes.count == pages.count)
    for pipe in pipes {
      let outcome = try await product.shell(pipe)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.lines.last?.contains(#""ask_brainstorm""#) == true, "\(outcome.output)")
    }
    for page in pages {
      let block = try #require(Self.blocks("json", in: page).first { $0.contains(#"["mcp""#) })
      let file = try JSONDecoder().decode(ServerFile.self, from: Data(block.utf8))
      let server = try #require(file.mcpServers["orchestrator"])
      #expect(server.command == "orchestrator")
      #expect(server.args.first == "mcp")
    }
  }

  private struct ServerFile: Decodable {
    struct Server: Decodable {
      let command: String
      let args: [String]
    }

    let mcpServers: [String: Server]
  }

  /// The lines of a text that call the product, without trailing comments.
  static func commands(in text: String) -> [String] {
    text.split(separator: "\n").filter { $0.hasPrefix("orchestrator ") }.map {
      $0.prefix { $0 != "#" }.trimmingCharacters(in: .whitespaces)
    }
  }

  /// The fenced code blocks of a language.
  private static func blocks(_ language: String, in text: String) -> [String] {
    text.components(separatedBy: "```\(language)\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
  }
}
