import Foundation
import TestSupport
import Testing

/// Calls that wait for a person, in the product as a person runs it.
@Suite(.timeLimit(.minutes(10))) struct `A call that needs approval` {
  @Test func `is made when 'approve' says so, and shown to wait until then`() async throws {
    let vault = try Vault()
    let product = vault.product
    let coordinator = try await vault.start("--no-chat")
    let ask = try await product.open("ask", "Open it", "--session", "s", "--attended")
    let request = try await vault.request()
    let ps = try await product.run("ps")
    #expect(ps.output.contains("asking"), "\(ps.output)")
    #expect(ps.output.contains(#"open_vault{"number": 7}"#), "\(ps.output)")
    let tree = try await product.run("ps", "--json")
    #expect(tree.output.contains("\"approvals\" : ["))
    let pending = try await product.run("transcript", "s")
    #expect(pending.output.contains("request \(request): waiting for a person"))
    #expect(vault.runs == 0)

    let approval = try await product.run("approve", request)
    #expect(approval.output == "Approved the call to open_vault.\n")
    let answer = await ask.end()
    #expect(answer.status == 0)
    #expect(answer.output == "Told: It is open.\n")
    #expect(answer.notes(containing: "may guard call open_vault").count == 1)
    #expect(vault.runs == 1)
    let transcript = try await product.run("transcript", "s")
    #expect(transcript.output.contains("request \(request): approved (control)"))

    let again = try await product.run("approve", request)
    #expect(again.status == 1)
    #expect(again.errors.contains("was already answered; the call was approved."))
    #expect(try await product.run("approve").output == "No calls are waiting for a person.\n")
    await coordinator.end(by: SIGTERM)
  }

  @Test func `says of which session it is, and is denied without a reason`() async throws {
    let vault = try Vault()
    let product = vault.product
    let coordinator = try await vault.start("--no-chat", "--attended")
    let ask = try await product.open("ask", "Open it", "--session", "one of two")
    let request = try await vault.request()
    let rows = try await product.run("approve").lines
    #expect(rows.first?.contains("SESSION     AGENT") == true, "\(rows)")
    #expect(rows.last?.contains("one of two  guard") == true, "\(rows)")
    let pending = try await product.run("approve", "--json").output
    #expect(pending.contains(#""session" : "one of two""#), "\(pending)")
    #expect(try await product.run("deny", request, " ").status == 0)
    #expect(await ask.end().output.contains("The person denied it."))
    #expect(vault.runs == 0)
    await coordinator.end(by: SIGTERM)
  }

  @Test func `of another program's prompt waits for 'approve' where 'start' was told of a person`()
    async throws
  {
    let vault = try Vault()
    let product = vault.product
    let coordinator = try await vault.start("--no-chat", "--attended")
    async let told = Self.post(#"{"session":"api","prompt":"Open it"}"#, to: product)
    let request = try await vault.request()
    #expect(try await product.run("approve", request).status == 0)
    let lines = try await told
    #expect(lines.contains("Told: It is open."), "\(lines)")
    #expect(vault.runs == 1)
    // The same holds for an `ask` that does not mention a person and has no terminal.
    let ask = try await product.open("ask", "Open it")
    #expect(try await product.run("approve", vault.request()).status == 0)
    #expect(await ask.end().output == "Told: It is open.\n")
    #expect(vault.runs == 2)
    // A program can say that no person is there.
    let alone = #"{"session":"api","prompt":"Open it","isAttended":false}"#
    let denied = try await Self.post(alone, to: product)
    #expect(denied.contains("No one is available to approve it."), "\(denied)")
    #expect(vault.runs == 2)
    await coordinator.end(by: SIGTERM)
  }

  /// Sends a prompt as another program would and returns the lines of its answer.
  private static func post(_ prompt: String, to product: Product) async throws -> String {
    let request = DoorRequest(path: "/v1/prompts", body: Data(prompt.utf8))
    return try await request.send(to: .socket(product)).body
  }

  @Test func `is not made when 'deny' says so, and the model reads why`() async throws {
    let vault = try Vault()
    let product = vault.product
    let coordinator = try await vault.start("--no-chat")
    let ask = try await product.open("ask", "Open it", "--attended", "--json")
    // The line must appear while the call waits, because the program that reads it has to answer.
    #expect(await ask.waitForOutput { $0.contains("approvalAsked") })
    let request = try await vault.request()
    let denial = try await product.run("deny", request, "Not on a Sunday.", "--json")
    #expect(denial.output.contains(#""denial" : "Not on a Sunday.""#))
    let answer = await ask.end()
    #expect(answer.output.contains("approvalAsked"))
    // The question goes to the person at the terminal and to the program that reads the lines.
    #expect(answer.notes(containing: "may guard call open_vault").count == 1)
    #expect(
      answer.output.contains(#"\"status\": \"denied\", \"tool\": \"open_vault\""#),
      "\(answer.output)"
    )
    #expect(answer.output.contains("Not on a Sunday."))
    #expect(vault.runs == 0)
    await coordinator.end(by: SIGTERM)
  }

  @Test func `is answered in the chat, one question at a time`() async throws {
    let vault = try Vault()
    let chat = try await vault.start("--attended")
    chat.type("Open it\n")
    #expect(await chat.waitForErrors { $0.contains("type 'y', 'n', or a reason to deny it") })
    chat.type("yes\n")
    #expect(await chat.waitForOutput { $0.contains("Told: It is open.") })
    chat.type("Open it again\n")
    #expect(await chat.waitForErrors { $0.components(separatedBy: "a reason to").count == 3 })
    chat.type("You have seen enough.\n")
    #expect(await chat.waitForOutput { $0.contains("You have seen enough.") })
    #expect(vault.runs == 1)
    // Leaving the chat is not an approval.
    chat.type("Open it again\n")
    #expect(await chat.waitForErrors { $0.components(separatedBy: "a reason to").count == 4 })
    chat.closeInput()
    let outcome = await chat.end()
    #expect(outcome.output.contains("The person has left."))
    #expect(vault.runs == 1)
  }

  @Test func `is answered by the next line of a pipe, whenever that came`() async throws {
    let vault = try Vault()
    let ask = try await vault.product.start([
      "ask", "Open it twice", "--agents", vault.agents, "--allow", "guard", "--attended",
    ])
    ask.type("y\nNot again.\n")
    ask.closeInput()
    let end = await ask.end()
    #expect(end.output.contains("Not again."), "\(end.output)\n\(end.errors)")
    #expect(vault.runs == 1)
  }

  @Test func `is denied at once when it comes after the end of the chat's input`() async throws {
    let vault = try Vault()
    let piped = try await vault.chat(typing: "Open it\n", "--attended")
    #expect(piped.output.contains("The person has left."), "\(piped.output)")
    #expect(vault.runs == 0)
  }

  @Test func `is left to 'approve' when the client has left`() async throws {
    let vault = try Vault()
    let product = vault.product
    let coordinator = try await vault.start("--no-chat")
    let ask = try await product.open("ask", "Open it", "--attended")
    ask.closeInput()
    let request = try await vault.request()
    let words = "answer with 'orchestrator approve \(request)'"
    #expect(await ask.waitForErrors { $0.contains(words) })
    #expect(try await product.run("approve", request).status == 0)
    #expect(await ask.end().output == "Told: It is open.\n")
    #expect(vault.runs == 1)
    await coordinator.end(by: SIGTERM)
  }

  @Test func `is denied when no person is there`() async throws {
    let vault = try Vault()
    let piped = try await vault.chat(typing: "Open it\n")
    #expect(piped.output.contains("No one is available to approve it."), "\(piped.output)")
    let asked = try await vault.product.run(
      "ask",
      "Open it",
      "--agents",
      vault.agents,
      "--allow",
      "guard"
    )
    #expect(asked.output.contains("No one is available to approve it."), "\(asked.output)")
    let late = try await vault.product.run(
      "ask",
      "Open it",
      "--agents",
      vault.agents,
      "--allow",
      "guard",
      "--attended",
      "--caps",
      "approval=1"
    )
    #expect(late.output.contains("The person has left."), "\(late.output)")
    #expect(vault.runs == 0)
  }

  @Test func `that ran when the coordinator was killed does not run again`() async throws {
    let vault = try Vault()
    let product = vault.product
    let first = try await vault.start("--no-chat")
    let ask = try await product.open("ask", "Hold it", "--session", "s", "--attended")
    _ = try await product.run("approve", try await vault.request())
    try await eventually("the call is made") { vault.runs > 0 }
    await first.end(by: SIGKILL)
    #expect(await ask.end().status != 0)

    let second = try await vault.start("--no-chat")
    let again = try await product.run("ask", "Open it", "--session", "s")
    #expect(again.output.contains("No one is available to approve it."))
    #expect(vault.runs == 1)
    let transcript = try await product.run("transcript", "s")
    #expect(transcript.output.contains("approved (control)"))
    await second.end(by: SIGTERM)
  }
}
