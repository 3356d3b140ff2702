import Coordination
import Coordinator
import Foundation
import Journal
import MCP
import Transcripts

/// The arguments of a tool that asks an agent.
struct AgentQuestion: Equatable {
  let prompt: String
  let session: String
  let caps: GivenCaps?

  /// Why arguments are not taken, in words that a model can act on.
  struct Fault: Error, Equatable, CustomStringConvertible {
    let description: String
  }

  /// Reads arguments; a session that is not named is a new one.
  init(_ arguments: GeneratedContent) throws(Fault) {
    var (prompt, session, caps): (String?, String?, GivenCaps?)
    for (name, value) in arguments.members ?? [] {
      switch name {
      case "prompt": prompt = try Self.text(value, name)
      // Models write null for what they leave out.
      case "session": session = value.kind == .null ? nil : try Self.text(value, name)
      case "caps": caps = value.kind == .null ? nil : try Self.caps(value)
      default:
        throw Fault(
          description: "There is no argument '\(name)'. Use 'prompt', 'session' and 'caps'."
        )
      }
    }
    guard let prompt, !prompt.allSatisfy(\.isWhitespace) else {
      throw Fault(description: "The argument 'prompt' is missing or empty.")
    }
    self.prompt = prompt
    self.caps = caps
    do throws(SessionName.Fault) {
      self.session = try session.map(SessionName.checked) ?? Self.newSession()
    } catch {
      throw Fault(description: error.description)
    }
  }

  private static func newSession() -> String { "mcp-" + UUID().uuidString.prefix(8).lowercased() }

  private static func text(
    _ value: GeneratedContent,
    _ name: String
  ) throws(Fault) -> String {
    guard let text = value.text else {
      throw Fault(description: "The argument '\(name)' is not a string.")
    }
    return text
  }

  private static func caps(_ value: GeneratedContent) throws(Fault) -> GivenCaps {
    do {
      return try JSONDecoder().decode(GivenCaps.self, from: Data(value.jsonString.utf8))
    } catch let fault as Caps.Fault {
      throw Fault(description: fault.description)
    } catch {
      throw Fault(
        description: "The argument 'caps' is an object of whole numbers, such as {\"rounds\": 4}."
      )
    }
  }

  static var schema: GeneratedContent {
    .members([
      ("type", "object".json),
      (
        "properties",
        .members([
          ("prompt", described("string", "What to ask the agent. It sees nothing else.")),
          (
            "session",
            described(
              "string",
              "The session to go on with, as an earlier result named it. Omit it to begin one."
            )
          ),
          ("caps", capsSchema),
        ])
      ),
      ("required", .list(["prompt".json])),
      ("additionalProperties", false.json),
    ])
  }

  /// Names the caps in words: a client's model reads the schema of every agent in every request.
  private static var capsSchema: GeneratedContent {
    let names = Caps.names.filter { $0 != "policy" }.joined(separator: ", ")
    return .members([
      ("type", "object".json),
      (
        "description",
        "Bounds of the turn, each a whole number: \(names). Omit what needs no change.".json
      ),
    ])
  }

  private static func described(_ type: String, _ words: String) -> GeneratedContent {
    .members([("type", type.json), ("description", words.json)])
  }
}
