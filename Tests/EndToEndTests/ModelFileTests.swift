import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A model file` {
  @Test func `has a short option, and a variable that may be empty`() async throws {
    let product = try Product()
    let empty = ["ORCHESTRATOR_MODEL": ""]
    let answer = try await product.run("ask", "How do I fold a boat?", environment: empty)
    #expect(answer.status == 0, "\(answer.errors)")
    let missing = try await product.run("ask", "Hello", "-m", "/no/such/file.gguf")
    #expect(missing.status == 66)
    #expect(missing.errors.contains("/no/such/file.gguf"))
    let agents = try product.writeBrief()
    let check = try await product.run("agents", "check", "--agents", agents, "-m", "/no/such.gguf")
    #expect(check.status == 66)
    #expect(check.errors.contains("/no/such.gguf"))
    // The findings in the agents are reported nevertheless.
    #expect(check.output == "1 agent, 0 findings, 0 unusable\n", "\(check.output)")
    // A program that reads the result must not mistake "no findings" for "no flaws".
    let verdict = try await product.run(
      "agents",
      "check",
      "--agents",
      agents,
      "-m",
      "/no/such.gguf",
      "--json"
    )
    #expect(verdict.output.contains("\"unchecked\""), "\(verdict.output)")
  }

  @Test(arguments: [
    ("empty", "it is empty"), ("text", "it is not a GGUF file"), ("", "it is a folder"),
  ])
  func `that cannot be one is refused before anything begins`(
    kind: String,
    flaw: String
  ) async throws {
    let product = try Product()
    var path = product.home
    if !kind.isEmpty {
      path += "/\(kind).gguf"
      let text = kind == "empty" ? "" : "This is no model.\n"
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
    for option in ["--model", "--projector"] {
      let outcome = try await product.run("start", option, path)
      #expect(outcome.status == 65)
      #expect(outcome.errors.contains("\(path) cannot be used: \(flaw)"), "\(outcome.errors)")
      #expect(outcome.errors.split(separator: "\n").count == 1)
    }
  }

  @Test(arguments: ["half", "untaught"])
  func `that is none ends the turn with one line, and no other`(kind: String) async throws {
    let product = try Product()
    let whole = try Data(contentsOf: URL(filePath: Product.model))
    let bytes: [String: Data] = [
      "half": whole.prefix(whole.count / 2),
      "untaught": whole.replacing(
        "tokenizer.chat_template".utf8,
        with: "tokenizer.chat_templatf".utf8
      ),
    ]
    let path = product.home + "/\(kind).gguf"
    try #require(bytes[kind]).write(to: URL(filePath: path))
    let outcome = try await product.run("ask", "Hello", "--model", path)
    #expect(outcome.status == 1)
    #expect(outcome.output.isEmpty)
    let lines = outcome.errors.split(separator: "\n").filter { !$0.hasPrefix("Compiling ") }
    #expect(lines.count == 1, "\(outcome.errors)")
    #expect(outcome.errors.contains(path))
    #expect(product.processes().isEmpty)
    // The same home answers once it is given a model.
    #expect(try await product.run("ask", "How do I fold a boat?").status == 0)
  }
}
