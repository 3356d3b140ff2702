import Foundation
import TestSupport
import Testing

/// What a tool has done while an earlier call of its round waits for a person.
@Suite(.timeLimit(.minutes(10))) struct `A result behind a call that waits for a person` {
  @Test func `outlives its coordinator, and its tool does not run again`() async throws {
    let product = try Product()
    let folder = product.home + "/work"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let agents = try product.write(Self.source(folder), as: "Worker")
    let start = ["start", "--no-chat", "--agents", agents, "--allow", "worker"]
    let first = try await product.start(start)
    try await product.waitUntilServing()
    let ask = try await product.open("ask", "Go", "--session", "s", "--attended")
    let waiting = "  work → (waiting for earlier calls): worked"
    try await eventually("the result is kept") {
      try await product.run("transcript", "s").lines.contains(waiting)
    }
    first.signal(SIGKILL)
    _ = await first.end()
    #expect(await ask.end().status == 69)

    let second = try await product.start(start)
    try await product.waitUntilServing()
    let again = try await product.open("ask", "Go on", "--session", "s", "--attended")
    // The first approval is for the resumed turn, the second for the prompt's own turn.
    for _ in 0..<2 {
      let approval = try await product.run("approve", try await product.request())
      #expect(approval.status == 0, "\(approval.errors)")
    }
    let answer = await again.end()
    #expect(answer.status == 0, "\(answer.errors)")
    let transcript = try await product.run("transcript", "s")
    #expect(!transcript.output.contains("unknown"), "\(transcript.output)")
    #expect(
      transcript.lines.filter { $0.contains(" →: ") }.map { $0.dropFirst(2) } == [
        "open →: open", "work →: worked", "open →: open", "work →: worked",
      ]
    )
    let runs = try String(contentsOfFile: folder + "/done", encoding: .utf8)
    #expect(runs == "done\ndone\n")
    second.signal(SIGTERM)
    _ = await second.end()
  }

  private static func source(_ folder: String) -> String {
    #"""
    import AgentKit
    import Foundation

    struct Worker: Agent {
      let name = "worker"
      let description = "opens and works"
      let permissions: [Permission] = [.writing("\#(folder)")]

      static let model = ScriptedLanguageModel { request in
        if case .toolOutput = request.transcript.last { return .text("Done.") }
        return .calls([.init("open"), .init("work")])
      }

      var body: some DynamicProfile {
        Profile {
          Instructions("Open, and work.")
          Open()
          Work()
        }
        .model(Self.model)
      }
    }

    struct Open: Tool {
      let name = "open"
      let description = "Opens."
      let requiresApproval = true
      @Generable struct Arguments {}

      func call(arguments: Arguments) async throws -> String { "open" }
    }

    struct Work: Tool {
      let name = "work"
      let description = "Works."
      @Generable struct Arguments {}

      func call(arguments: Arguments) async throws -> String {
        let file = "\#(folder)/done"
        let before = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        try (before + "done\n").write(toFile: file, atomically: false, encoding: .utf8)
        return "worked"
      }
    }
    """#
  }
}
