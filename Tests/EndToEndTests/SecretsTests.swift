import Foundation
import Testing

/// What a person's environment contains and no other program may learn.
@Suite(.timeLimit(.minutes(10))) struct `A secret of the environment` {
  private static let secret = "sk-\(UUID().uuidString)"

  @Test func `is in no file, no list of processes, and no worker that may not use it`() async throws
  {
    let product = try Product()
    try product.write(Self.agent("Curious", permissions: ""), as: "Curious")
    let agents = try product.write(Self.agent("Trusted", permissions: ".network"), as: "Trusted")
    let environment = [
      "ORCHESTRATOR_CHAT_KEY": Self.secret, "OTHER_TOKEN": Self.secret,
      "ORCHESTRATOR_CHAT_URL": "https://\(Self.secret):@127.0.0.1:9/v1/?key=\(Self.secret)",
      "https_proxy": "http://person:\(Self.secret)@127.0.0.1:9",
    ]
    let options = ["--agents", agents, "--allow", "trusted"]
    let coordinator = try await product.start(
      ["start", "--no-chat", "--agent", "curious"] + options,
      environment: environment
    )
    try await product.waitUntilServing()
    let answer = try await product.run("ask", "What do you see?")
    #expect(
      answer.output == "key: none, token: none, server: https://127.0.0.1:9/v1/,"
        + " at the beginning: none\n",
      "\(answer.errors)"
    )

    let workers = product.processes().filter { $0.value == "orchestrator-worker" }.keys
    #expect(!workers.isEmpty)
    for pid in workers { #expect(!Self.text("/proc/\(pid)/cmdline").contains(Self.secret)) }
    for words in [
      ["ps"], ["ps", "--json"], ["logs"], ["logs", "curious"], ["transcript"], ["agents"],
    ] {
      let session = try await product.start(
        words + (words == ["agents"] ? ["--agents", agents] : [])
      )
      session.closeInput()
      let shown = await session.end()
      #expect(!(shown.output + shown.errors).contains(Self.secret), "\(words)")
    }
    coordinator.signal(SIGTERM)
    let end = await coordinator.end()
    #expect(!(end.output + end.errors).contains(Self.secret))
    #expect(Self.files(in: product.home).filter { Self.text($0).contains(Self.secret) } == [])

    // Proves that the search works: a trusted agent finds the secret, and its answer is in a file.
    let session = try await product.start(
      ["ask", "What do you see?", "--session", "two", "--agent", "trusted"] + options,
      environment: environment
    )
    session.closeInput()
    let told = await session.end()
    #expect(
      told.output.contains(
        "key: \(Self.secret), token: none, server: https://\(Self.secret):@127.0.0.1:9/v1/?key="
      ),
      "\(told.output)\(told.errors)"
    )
    #expect(!Self.files(in: product.home).filter { Self.text($0).contains(Self.secret) }.isEmpty)
  }

  @Test func `is left to a worker that nothing confines`() async throws {
    let product = try Product()
    let agents = try product.write(Self.agent("Curious", permissions: ""), as: "Curious")
    let session = try await product.start(
      [
        "ask", "What do you see?", "--agents", agents, "--agent", "curious", "--sandbox", "off",
      ],
      environment: ["ORCHESTRATOR_CHAT_KEY": Self.secret]
    )
    session.closeInput()
    let told = await session.end()
    #expect(told.output.contains("key: \(Self.secret),"), "\(told.output)\(told.errors)")
  }

  private static func text(_ path: String) -> String {
    String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
  }

  private static func files(in folder: String) -> [String] {
    let names = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
    return names.map { "\(folder)/\($0)" }
  }

  /// An agent that answers with what it finds in its environment.
  private static func agent(_ name: String, permissions: String) -> String {
    """
    import AgentKit
    import Foundation

    struct \(name): Agent {
      let name = "\(name.lowercased())"
      let description = "sees \\(seen("ORCHESTRATOR_CHAT_KEY")) \\(seen("OTHER_TOKEN"))"
      let permissions: [Permission] = [\(permissions)]

      var body: some DynamicProfile {
        Profile { Instructions("You see \\(seen("OTHER_TOKEN")).") }
          .model(
            ScriptedLanguageModel(deciding: { _ in
              let began = String(
                decoding: FileManager.default.contents(atPath: "/proc/self/environ") ?? Data(),
                as: UTF8.self)
              return .text(
                "key: \\(seen("ORCHESTRATOR_CHAT_KEY")), token: \\(seen("OTHER_TOKEN")),"
                  + " server: \\(seen("ORCHESTRATOR_CHAT_URL")),"
                  + " at the beginning: \\(began.contains("sk-") ? "something" : "none")")
            })
          )
      }
    }

    private func seen(_ name: String) -> String {
      getenv(name).map { String(cString: $0) } ?? "none"
    }
    """
  }
}
