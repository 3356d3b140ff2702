import Foundation
import TestSupport
import Testing

/// A product with one agent whose tool appends a line to a file on every run.
struct Vault {
  let product: Product
  let agents: String
  let file: String

  /// - Parameter takesForms: Whether the agent also has a tool of a server that asks a person.
  init(takesForms: Bool = false) throws {
    product = try Product()
    let folder = product.home + "/vault"
    file = folder + "/opened"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    agents = try product.write(Self.source(file, takesForms: takesForms), as: "Guard")
    guard takesForms else { return }
    let scripts = Clerk.scripts
    let server = """
      {"command": "\(Program.python)", "args": ["\(scripts)/asking_server.py"], \
      "orchestrator": {"read": ["\(scripts)"], "startTimeout": 120}}
      """
    try #"{"mcpServers": {"desk": \#(server)}}"#
      .write(toFile: product.home + "/mcp.json", atomically: true, encoding: .utf8)
  }

  /// How often the tool has run.
  var runs: Int {
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").count
  }

  func start(_ arguments: String...) async throws -> Session {
    let session = try await product.start(
      ["start", "--agents", agents, "--allow", "guard"] + arguments
    )
    try await product.waitUntilServing()
    return session
  }

  /// Runs a chat to its end with the given input.
  func chat(typing input: String, _ arguments: String...) async throws -> Product.Outcome {
    let session = try await product.start(
      ["start", "--agents", agents, "--allow", "guard"] + arguments
    )
    session.type(input)
    session.closeInput()
    return await session.end()
  }

  /// Waits until a call needs approval and returns the number of its request.
  func request() async throws -> String { try await product.request() }

  private static func source(_ file: String, takesForms: Bool) -> String {
    #"""
    import AgentKit
    import Foundation

    struct Guard: Agent {
      let name = "guard"
      let description = "opens the vault, when it may"
      let permissions: [Permission] = [.writing("\#((file as NSString).deletingLastPathComponent)")]

      static let model = ScriptedLanguageModel { request in
        let outputs = request.transcript.filter { if case .toolOutput = $0 { true } else { false } }
        let isAgain = request.transcript.contains { $0.description == "Open it twice" }
        return switch request.transcript.last {
        case .toolOutput where isAgain && outputs.count == 1:
          .call("open_vault", #"{"number": 9}"#)
        case .toolOutput: .text("Told: \(request.transcript.last?.description ?? "")")
        case .prompt(let prompt) where prompt.description == "Ask me": .call("desk_form", "{}")
        default:
          .call(
            "open_vault",
            request.transcript.last?.description == "Hold it" ? #"{"number": 8}"# : #"{"number": 7}"#
          )
        }
      }

      var body: some DynamicProfile {
        Profile {
          Instructions("Guard it.")
          OpenVault()
          \#(takesForms ? #"MCPTools("desk")"# : "")
        }
        .model(Self.model)
      }
    }

    struct OpenVault: Tool {
      let name = "open_vault"
      let description = "Opens the vault."
      let requiresApproval = true
      @Generable struct Arguments { var number: Int }

      func call(arguments: Arguments) async throws -> String {
        let file = "\#(file)"
        let before = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        try (before + "opened\n").write(toFile: file, atomically: true, encoding: .utf8)
        if arguments.number == 8 { try await Task.sleep(for: .seconds(600)) }
        return "It is open."
      }
    }
    """#
  }
}

extension Product {
  /// Waits until a call needs approval and returns the number of its request.
  func request() async throws -> String {
    var request: Int?
    try await eventually("a call waits for approval") {
      let outcome = try await run("approve", "--json")
      let list =
        try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]]
      request = list?.first?["id"] as? Int
      return request != nil
    }
    let id = try #require(request)
    return "\(id)"
  }
}
