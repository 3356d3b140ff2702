import Foundation
import MCP
import Testing
import Transcripts

/// A client that writes lines to `orchestrator mcp`, and reads its lines.
struct PipedClient {
  let session: Session

  init(_ product: Product, _ agents: String) async throws {
    session = try await product.open("mcp", "--agents", agents)
  }

  func send(_ line: String) { session.type(line + "\n") }

  /// Waits for the message that answers a request.
  func answer(to id: Int) async throws -> GeneratedContent {
    try #require(await message { $0["id"]?.integer == id }, "\(session.errors)")
  }

  /// Waits for a message; `nil` if none comes.
  func message(
    where isMeant: @escaping @Sendable (GeneratedContent) -> Bool
  ) async -> GeneratedContent? {
    let find: @Sendable (String) -> GeneratedContent? = { output in
      output.split(separator: "\n").compactMap { try? GeneratedContent(json: String($0)) }
        .first { $0.isComplete && isMeant($0) }
    }
    _ = await session.waitForOutput { find($0) != nil }
    return find(session.output)
  }

  func initialize(
    _ version: String = "2025-06-18",
    speaking spoken: String = "2025-06-18",
    capabilities: String = "{}"
  ) async throws {
    send(
      #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"\#(version)","#
        + #""capabilities":\#(capabilities),"clientInfo":{"name":"test","version":"1"}}}"#
    )
    #expect(try await answer(to: 0)["result"]?["protocolVersion"]?.text == spoken)
    send(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
  }

  /// Asks the clerk, and returns the answer.
  func ask(_ prompt: String) async throws -> String? {
    let id = abs(prompt.hashValue)
    send(Self.call(prompt, id: id))
    let result = try await answer(to: id)["result"]
    return result?["content"]?.elements?.first?["text"]?.text
  }

  static func call(
    _ prompt: String,
    tool: String = "ask_clerk",
    id: Int,
    _ more: String = ""
  ) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"\#(tool)","#
      + #""arguments":{"prompt":"\#(prompt)"}\#(more)}}"#
  }
}

extension Product {
  /// Writes three agents: one that files or passes the baton, one that cooks, and one that asks a
  /// person first.
  func writeOffice() throws -> String {
    try write(Self.clerk, as: "Clerk")
    try write(Self.chef, as: "Chef")
    return try write(Self.guardian, as: "Guard")
  }

  private static let clerk = #"""
    import AgentKit

    struct Clerk: Agent {
      let name = "clerk"
      let description = "files papers"

      var body: some DynamicProfile {
        Profile {
          Instructions("You file papers.")
          PassBaton(to: "chef")
        }
        .model(
          ScriptedLanguageModel(deciding: { request in
            let prompt = request.transcript.last?.description ?? ""
            return switch prompt {
            case "cook": .call("pass_baton", #"{"to": "chef"}"#)
            case "sleep": .silence
            default: .text("filed: \(prompt)")
            }
          })
        )
      }
    }
    """#

  private static let chef = #"""
    import AgentKit

    struct Chef: Agent {
      let name = "chef"
      let description = "cooks"

      var body: some DynamicProfile {
        Profile { Instructions("You cook.") }
          .model(
            ScriptedLanguageModel(deciding: { request in
              .text("cooked: \(request.transcript.last?.description ?? "")")
            })
          )
      }
    }
    """#

  private static let guardian = #"""
    import AgentKit

    struct Guard: Agent {
      let name = "guard"
      let description = "opens the vault, when it may"

      var body: some DynamicProfile {
        Profile {
          Instructions("Guard it.")
          OpenVault()
        }
        .model(
          ScriptedLanguageModel(deciding: { request in
            if case .toolOutput(let output)? = request.transcript.last {
              return .text("told: \(output)")
            }
            return .call("open_vault", #"{"number": 7}"#)
          })
        )
      }
    }

    struct OpenVault: Tool {
      let name = "open_vault"
      let description = "Opens the vault."
      let requiresApproval = true
      @Generable struct Arguments { var number: Int }

      func call(arguments: Arguments) async throws -> String { "It is open." }
    }
    """#
}
