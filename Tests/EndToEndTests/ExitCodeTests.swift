import Foundation
import Testing

/// What a script learns from the exit status of a refused command.
@Suite(.timeLimit(.minutes(10))) struct `The status of a command` {
  /// A prompt that is longer than any that is accepted.
  private static let long = "head -c 9000000 /dev/zero | tr '\\0' a | orchestrator ask -"

  @Test func `is the same for a prompt that is too long, wherever it is refused`() async throws {
    let product = try Product()
    let agents = try product.writeBrief()
    let own = try await product.shell("\(Self.long) --agents \(agents)")
    #expect(own.status == 64, "\(own.errors)")
    let coordinator = try await product.open("start", "--no-chat", "--agents", agents)
    try await product.waitUntilServing()
    let other = try await product.shell(Self.long)
    #expect(other.status == 64, "\(other.errors)")
    for refused in [own, other] {
      #expect(refused.output.isEmpty)
      #expect(refused.notes(containing: "The prompt has 9000000 bytes").count == 1)
    }
    await coordinator.end(by: SIGTERM)
  }

  @Test func `is that of what cannot be had for a compiler`() async throws {
    let product = try Product()
    let agents = try product.writeBrief()
    let check = try await product.run(
      "agents",
      "check",
      "--agents",
      agents,
      environment: ["ORCHESTRATOR_SWIFTC": "/nowhere/swiftc"]
    )
    #expect(check.status == 69, "\(check.errors)")
    #expect(check.errors.contains("/nowhere/swiftc"), "\(check.errors)")
  }

  @Test func `is that of a place to listen where the socket cannot be made`() async throws {
    let product = try Product()
    let agents = try product.writeBrief()
    // Anything at the socket's path that is not a socket is not removed to make room for one.
    let socket = product.home + "/run/coordinator.sock"
    try FileManager.default.createDirectory(
      atPath: socket + "/in-the-way",
      withIntermediateDirectories: true
    )
    let refused = try await product.run("start", "--no-chat", "--agents", agents)
    #expect(refused.status == 69, "\(refused.errors)")
    let words = "Cannot listen on \(socket): Address already in use."
    #expect(refused.errors.contains(words), "\(refused.errors)")
  }

  @Test func `is that of a coordinator that cannot be had where it does not answer`()
    async throws
  {
    let product = try Product()
    let coordinator = try await product.open("start", "--no-chat")
    try await product.waitUntilServing()
    coordinator.signal(SIGSTOP)
    let refused = try await product.run("ps")
    #expect(refused.status == 69, "\(refused.errors)")
    #expect(refused.errors.contains("does not respond"), "\(refused.errors)")
    await coordinator.end(by: SIGKILL)
  }

  @Test(arguments: [("  ", Int32(1)), ("ok", 0)])
  func `says whether there was an answer, also when the model has said blanks`(
    text: String,
    status: Int32
  ) async throws {
    let product = try Product()
    let agents = try product.writeBrief(saying: text)
    let asked = try await product.run("ask", "Anything?", "--agents", agents)
    #expect(asked.status == status, "\(asked.errors)")
    #expect(asked.notes(containing: "The model's answer is empty.").count == Int(status))
  }
}
