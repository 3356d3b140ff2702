import Foundation
import TestSupport
import Testing

/// A turn that waits for the client that sent its prompt.
@Suite(.timeLimit(.minutes(10))) struct `A turn that waits for its client` {
  @Test func `outlives its coordinator, and goes on with the output`() async throws {
    let product = try Product()
    let agents = try product.write(Self.source, as: "Clerk")
    let start = ["start", "--no-chat", "--agents", agents]
    let first = try await product.start(start)
    try await product.waitUntilServing()
    let prompted = try await Self.post("/v1/prompts", Self.prompt, to: product)
    #expect(prompted.code == 200)
    let last = try #require(try prompted.lines.last)
    #expect(last["event"] as? String == "clientCalls", "\(prompted.body)")
    let call = try #require((last["calls"] as? [[String: Any]])?.first)
    #expect(call["tool"] as? String == "look")
    #expect(call["arguments"] as? String == #"{"at": "door"}"#)
    let id = try #require(call["id"] as? String)
    let processes = try await product.run("ps")
    #expect(processes.output.contains(#"look{"at": "door"}"#), "\(processes.output)")
    await first.end(by: SIGKILL)
    let sessions = try await product.run("sessions")
    #expect(sessions.lines.contains { $0.hasPrefix("s ") && $0.contains("look") })

    let second = try await product.start(start)
    try await product.waitUntilServing()
    let unknown = Self.outputs("unknown", request: "r0")
    let wrong = try await Self.post("/v1/outputs", unknown, to: product)
    #expect(wrong.body.contains("unknown_call"), "\(wrong.body)")
    let answered = try await Self.post("/v1/outputs", Self.outputs(id), to: product)
    #expect(answered.code == 200)
    #expect(try answered.lines.first?["event"] as? String == "clientAnswered", "\(answered.body)")
    let end = try #require(try answered.lines.last)
    #expect(end["event"] as? String == "ended", "\(answered.body)")
    #expect(end["answer"] as? String == "Seen: a crane")
    let again = try await Self.post("/v1/outputs", Self.outputs(id, request: "r2"), to: product)
    #expect(again.code == 422)
    #expect(again.body.contains("not_waiting"), "\(again.body)")
    let transcript = try await product.run("transcript", "s")
    #expect(transcript.lines.contains { $0.contains("look →: a crane") }, "\(transcript.output)")
    await second.end(by: SIGTERM)
  }

  private static let prompt = #"""
    {"session": "s", "prompt": "Go", "options": {"clientTools": [{
      "name": "look", "description": "Looks.",
      "parameters": {"type": "object", "properties": {"at": {"type": "string", "minLength": 2}},
        "required": ["at"]}
    }]}}
    """#

  private static func outputs(_ call: String, request: String = "r1") -> String {
    #"{"id": "\#(request)", "session": "s", "outputs": [{"callID": "\#(call)", "text": "a crane"}]}"#
  }

  private static func post(
    _ path: String,
    _ body: String,
    to product: Product
  ) async throws -> DoorRequest.Answer {
    try await DoorRequest(path: path, body: Data(body.utf8)).send(to: .socket(product))
  }

  private static let source = #"""
    import AgentKit

    struct Clerk: Agent {
      let name = "clerk"
      let description = "looks with the client's eyes"

      static let model = ScriptedLanguageModel { request in
        if case .toolOutput(let output) = request.transcript.last {
          return .text("Seen: \(output.description)")
        }
        return .call("look", #"{"at": "door"}"#)
      }

      var body: some DynamicProfile {
        Profile { Instructions("Look.") }
          .model(Self.model)
          .clientTools()
      }
    }
    """#
}
