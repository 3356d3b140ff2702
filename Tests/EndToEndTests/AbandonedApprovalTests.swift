import Foundation
import TestSupport
import Testing

/// Calls that wait for approval when their coordinator ends.
@Suite(.timeLimit(.minutes(10))) struct `A call that needs approval, and whose coordinator ends,` {
  @Test func `is asked about in vain when its coordinator is killed, and 'ask' says so`()
    async throws
  {
    let vault = try Vault()
    let coordinator = try await vault.start("--no-chat")
    let ask = try await vault.product.open("ask", "Open it", "--attended")
    _ = try await vault.request()
    coordinator.signal(SIGKILL)
    let end = await ask.end()
    #expect(end.status == 69)
    #expect(end.errors.contains("The coordinator stopped before it answered."), "\(end.errors)")
    // The prompt was accepted, so asking again would have it answered twice.
    #expect(end.errors.contains("Do not ask again"), "\(end.errors)")
    _ = await coordinator.end()
  }

  @Test(arguments: [false, true])
  func `is taken back when its coordinator is stopped, and 'ask' says so`(bySignal: Bool)
    async throws
  {
    let vault = try Vault()
    let coordinator = try await vault.start("--no-chat")
    let ask = try await vault.product.open("ask", "Open it", "--session", "s", "--attended")
    _ = try await vault.request()
    if bySignal {
      coordinator.signal(SIGTERM)
    } else {
      #expect(try await vault.product.run("stop").status == 0)
    }
    let end = await ask.end()
    #expect(end.status == 1)
    #expect(end.notes(containing: "turn ended: cancelled").count == 1, "\(end.errors)")
    #expect(end.errors.contains("rolled back"), "\(end.errors)")
    #expect(await coordinator.end().status == (bySignal ? 128 + SIGTERM : 0))
    let transcript = try await vault.product.run("transcript", "s")
    #expect(transcript.output.contains("cancelled (rolled back)"), "\(transcript.output)")
    #expect(vault.runs == 0)
  }

  @Test func `of an 'ask' that has its own coordinator is told to be out of reach`() async throws {
    let vault = try Vault()
    let ask = try await vault.product.start([
      "ask", "Open it", "--agents", vault.agents, "--allow", "guard", "--attended",
    ])
    #expect(await ask.waitForErrors { $0.contains("may guard call open_vault") })
    for command in ["ps", "approve", "stop"] {
      let outcome = try await vault.product.run(command)
      #expect(outcome.status == 69)
      #expect(outcome.errors.contains("a single question"), "\(command): \(outcome.errors)")
    }
    ask.signal(SIGINT)
    #expect(await ask.end().status == 128 + SIGINT)
    #expect(try await vault.product.run("ps").errors.contains("No coordinator is running."))
  }

  @Test func `that was approved is not made twice when the coordinator is killed`() async throws {
    let vault = try Vault()
    let product = vault.product
    let first = try await vault.start("--no-chat")
    let ask = try await product.open("ask", "Open it", "--session", "s", "--attended")
    let request = try await vault.request()
    await first.end(by: SIGKILL)
    #expect(await ask.end().status != 0)

    let second = try await vault.start("--no-chat")
    #expect(try await product.run("approve").output == "No calls are waiting for a person.\n")
    let late = try await product.run("approve", request)
    #expect(late.status == 1)
    #expect(late.errors.contains("The coordinator stopped before anyone answered."))
    let words = "session 's': an interrupted turn is waiting"
    #expect(await second.waitForErrors { $0.contains(words) })
    let transcript = try await product.run("transcript", "s")
    #expect(
      transcript.output.contains("request \(request): not answered; a person is asked again")
    )
    // The resumed turn asks again, and only then does the prompt's own turn ask.
    let again = try await product.open("ask", "Open it", "--session", "s", "--attended")
    let next = try await vault.request()
    #expect(next != request)
    _ = try await product.run("approve", next)
    let own = try await vault.request()
    #expect(own != next)
    #expect(vault.runs == 1)
    _ = try await product.run("approve", own)
    let answer = await again.end()
    #expect(answer.output == "Told: It is open.\n")
    #expect(answer.notes(containing: "Told: It is open.").count == 1, "\(answer.errors)")
    #expect(vault.runs == 2)
    await second.end(by: SIGTERM)
  }
}
