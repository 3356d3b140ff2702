import Foundation
import Testing

/// Sessions as a person keeps, inspects and moves them.
@Suite(.timeLimit(.minutes(10))) struct `The sessions` {
  @Test func `are listed, verified, and moved to another machine`() async throws {
    let (here, there) = (try Product(), try Product())
    // The prompts involve a friend and a baton pass.
    let prompts = "I want a rainy-day project for kids\nGive it a title\nHow do I fold a crane?\n"
    #expect(try await here.run("start", "--session", "one", input: prompts).status == 0)
    #expect(try await here.run("ask", "Hello", "--session", "two").status == 0)

    let list = try await here.run("sessions")
    #expect(list.lines.map { $0.split(separator: " ").first } == ["SESSION", "two", "one"])
    let verified = try await here.run("sessions", "verify")
    #expect(verified.status == 0, "\(verified.output)")
    #expect(verified.output.hasPrefix("2 sessions, ") && verified.output.hasSuffix(", 0 flaws\n"))

    let file = here.home + "/one.jsonl"
    #expect(try await here.run("sessions", "export", "one", file).status == 0)
    let again = try await here.run("sessions", "export", "one", file)
    #expect(again.status == 73)
    #expect(again.errors.contains("already exists; nothing was changed"))
    #expect(try await there.run("sessions", "import", file).status == 0)
    let unwritten = try await here.run("sessions", "export", "one", here.home + "/no/one.jsonl")
    #expect(unwritten.status == 73)
    #expect(unwritten.errors.contains("cannot be written: No such file"), "\(unwritten.errors)")
    let damaged = here.home + "/damaged.jsonl"
    try String(contentsOfFile: file, encoding: .utf8).dropLast(9)
      .write(toFile: damaged, atomically: true, encoding: .utf8)
    #expect(try await there.run("sessions", "import", damaged).status == 65)
    let taken = try await there.run("sessions", "import", file)
    #expect(taken.status == 1)
    #expect(taken.errors.contains("There is already a session named 'one'"))
    #expect(
      try await there.run("transcript", "one").output
        == here.run("transcript", "one").output
    )
    let logs = try await there.run("logs", "title")
    #expect(logs.status == 0 && logs.output.isEmpty, "\(logs.output)")
    #expect(logs.errors.contains("did not come along when its session was imported"))
    let answer = try await there.run("ask", "My wings are uneven", "--session", "one")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try await there.run("sessions", "verify", "one").status == 0)
  }

  @Test func `are listed by their last use, also those in which nothing was said`() async throws {
    let product = try Product()
    let agents = try product.writeBrief()
    for session in ["one", "two"] {
      let asked = try await product.run(
        "ask",
        "Hello",
        "--session",
        session,
        "--agents",
        agents
      )
      #expect(asked.status == 0, "\(asked.errors)")
    }
    let begun = try await product.run(
      "start",
      "--session",
      "three",
      "--agents",
      agents,
      input: ""
    )
    #expect(begun.status == 0, "\(begun.errors)")
    let list = try await product.run("sessions").lines.map { $0.split(separator: " ").first }
    #expect(list == ["SESSION", "three", "two", "one"])
    // By default, `transcript` shows a session that has content.
    let said = try await product.run("transcript").output
    #expect(said == (try await product.run("transcript", "two").output))
    #expect(said.contains("person: Hello"), "\(said)")
  }

  @Test func `go through a pipe, and are deleted with what their workers have written`()
    async throws
  {
    let product = try Product()
    let agents = "--agents \(try product.writeBrief())"
    for session in ["kept", "secret"] {
      let asked = try await product.shell("orchestrator ask Hello --session \(session) \(agents)")
      #expect(asked.status == 0, "\(asked.errors)")
    }
    let copied = try await product.shell(
      "orchestrator sessions export secret - | orchestrator sessions import - --as copy"
    )
    #expect(copied.output == "Imported 'copy'.\n", "\(copied.errors)")
    // As a shell's <(…) does it: a pipe that has a name.
    let again = try await product.shell(
      """
      mkfifo \(product.home)/pipe; orchestrator sessions export secret - >\(product.home)/pipe & \
      orchestrator sessions import \(product.home)/pipe --as again
      """
    )
    #expect(again.output == "Imported 'again'.\n", "\(again.errors)")
    let pipe = try await product.run("sessions", "export", "secret", "-", "--json")
    #expect(pipe.status == 64)

    // The logs stay because the copies refer to the same workers.
    #expect(try await product.run("sessions", "delete", "again").status == 0)
    let first = try await product.run("sessions", "delete", "secret", "--json")
    #expect(first.output.contains(#""logs" : 0"#), "\(first.output)\(first.errors)")
    let second = try await product.run("sessions", "delete", "copy")
    #expect(second.output.hasPrefix("Deleted 'copy': "), "\(second.errors)")
    let list = try await product.run("sessions").lines.map { $0.split(separator: " ").first }
    #expect(list == ["SESSION", "kept"])
    #expect(try await product.run("sessions", "verify").status == 0)
    let gone = try await product.run("sessions", "delete", "secret")
    #expect(gone.status == 1)
    #expect(gone.errors.contains("There is no session named 'secret'"), "\(gone.errors)")
    let kept = try await product.shell("orchestrator ask Hello --session kept \(agents)")
    #expect(kept.status == 0, "\(kept.errors)")
  }

  @Test func `cannot be taken while a coordinator runs, which says so, and are deleted by it`()
    async throws
  {
    let product = try Product()
    #expect(try await product.run("ask", "Hello", "--session", "one").status == 0)
    let file = product.home + "/one.jsonl"
    #expect(try await product.run("sessions", "export", "one", file).status == 0)
    let coordinator = try await product.open("start", "--no-chat")
    try await product.waitUntilServing()
    let refused = try await product.run("sessions", "import", file, "--as", "two")
    #expect(refused.status == 75)
    #expect(refused.errors.contains("pid \(coordinator.pid), since "), "\(refused.errors)")
    #expect(try await product.run("sessions", "delete", "one").output == "Deleted 'one'.\n")
    #expect(try await product.run("sessions", "delete", "one").status == 1)
    #expect(try await product.run("sessions", "verify").output.hasPrefix("0 sessions, "))
    await coordinator.end(by: SIGTERM)
  }

  @Test func `are told of in words where there are none`() async throws {
    let product = try Product()
    let list = try await product.run("sessions")
    #expect(list.status == 0 && list.output.isEmpty)
    #expect(list.errors.contains("There are no sessions yet"), "\(list.errors)")
    let none = try await product.run("sessions", "--json").output
    #expect(none.filter { !$0.isWhitespace } == "[]")
    let coordinator = try await product.open("start", "--no-chat")
    try await product.waitUntilServing()
    #expect(try await product.run("stop").status == 0)
    _ = await coordinator.end()
    let transcript = try await product.run("transcript")
    #expect(transcript.status == 1)
    #expect(transcript.errors.contains("There are no sessions yet"), "\(transcript.errors)")
    let folder = try await product.run("sessions", "import", product.home)
    #expect(folder.status == 66)
    #expect(folder.errors.contains("it is a folder."), "\(folder.errors)")
  }

  @Test func `are refused when their journal is damaged, and left alone`() async throws {
    let product = try Product()
    #expect(try await product.run("ask", "Hello", "--session", "one").status == 0)
    let journal = product.home + "/state/journal.sqlite"
    let whole = try Data(contentsOf: URL(filePath: journal))
    for damage in [whole.prefix(whole.count / 2), whole.prefix(0), Data("Dear diary".utf8)] {
      try damage.write(to: URL(filePath: journal))
      for command in [["ask", "Hello"], ["sessions", "verify"], ["transcript"]] {
        let session = try await product.start(command)
        session.closeInput()
        let refused = await session.end()
        #expect(refused.status == 1, "\(command): \(refused.output)")
        #expect(refused.errors.contains("is damaged"), "\(command): \(refused.errors)")
        #expect(refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
        #expect(try Data(contentsOf: URL(filePath: journal)) == damage)
      }
    }
    // One page at a time, because a page without content may hold anything.
    var found = 0
    for page in 1..<(whole.count / 4096) {
      var changed = whole
      let place = page * 4096
      changed.replaceSubrange(place..<(place + 4096), with: Data(repeating: 0xAB, count: 4096))
      try changed.write(to: URL(filePath: journal))
      let verified = try await product.run("sessions", "verify")
      #expect([0, 1].contains(verified.status), "page \(page)")
      if verified.output.hasPrefix("storage: ") || verified.errors.contains("is damaged") {
        found += 1
      }
      #expect((verified.status == 0) == verified.output.hasSuffix(", 0 flaws\n"), "page \(page)")
    }
    #expect(found > whole.count / 4096 / 2, "\(found) of \(whole.count / 4096)")
  }
}
