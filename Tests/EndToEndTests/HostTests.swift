import Foundation
import TestSupport
import Testing

/// Machines that a real ssh reaches.
@Suite(.timeLimit(.minutes(5))) struct `Hosts behind ssh` {
  @Test func `answer as this machine does, and are shown with what runs there`() async throws {
    let here = try Product()
    let input = Product.prompts.joined(separator: "\n") + "\n"
    let expected = try await here.run("start", input: input)
    #expect(expected.status == 0, "\(expected.errors)")

    let product = try Product()
    let ssh = try await SSHHosts("one", "two", in: product)
    let agents = try product.writeAgents(on: ["Tutorial": "one", "Title": "two"])
    try product.write(hosts: [ssh.entry("one"), ssh.entry("two")])
    let chat = try await product.chat(agents, "--session", "demo")
    chat.type(input)
    let isAnswered = await chat.waitForOutput {
      $0.split(separator: "\n").count >= expected.lines.count && $0.hasSuffix("\n")
    }
    #expect(isAnswered, "\(chat.output)\(chat.errors)")
    #expect(chat.output == expected.output, "\(chat.errors)")

    let hosts = try await product.hosts()
    #expect(hosts.map(\.name) == ["one", "two"])
    #expect(hosts.allSatisfy { $0.state == "up" }, "\(hosts)")
    let table = try await product.run("ps")
    #expect(
      table.lines.contains { $0.contains("one") && $0.contains("tutorial") },
      "\(table.output)"
    )
    #expect(table.lines.contains { $0.contains("two") }, "\(table.output)")
    let runs = try await product.runs()
    #expect(
      runs.filter { $0.agent == "tutorial" && $0.role == "baton" }.allSatisfy { $0.host == "one" }
    )
    #expect(runs.contains { $0.agent == "title" && $0.role == "friend" && $0.host == "two" })
    #expect(runs.filter { $0.agent == "brainstorm" }.allSatisfy { $0.host == nil })

    // The logs have come home.
    let log = try await product.run("logs", "title")
    #expect(log.status == 0 && !log.output.isEmpty, "\(log.errors)")
    let tree = try await product.run("transcript", "demo")
    #expect(tree.output.contains("two"), "\(tree.output)")

    chat.closeInput()
    #expect(await chat.end().status == 0)
    try await eventually("nothing is left there", within: .seconds(5)) {
      Self.workers(of: ssh).isEmpty
    }
  }

  @Test func `that die take no turn with them`() async throws {
    let product = try Product()
    let ssh = try await SSHHosts("one", in: product)
    try #require(ssh.areApart, "Only root has machines that can be ended.")
    let agents = try product.writeAgents(on: ["Tutorial": "one"])
    try product.write(hosts: [ssh.entry("one")])
    let chat = try await product.chat(agents, "--session", "demo", "--agent", "tutorial")
    chat.type("How do I fold a crane?\n")
    #expect(await chat.waitForOutput { $0.contains("4. ") && $0.hasSuffix("\n") }, "\(chat.errors)")
    #expect(try await product.runs().contains { $0.host == "one" })
    try await ssh.machines.perform("crash one")
    chat.type("How do I fold a boat?\n")
    #expect(
      await chat.waitForOutput { $0.contains("boat") && $0.hasSuffix("\n") },
      "\(chat.errors)"
    )
    let transcript = try await product.run("transcript", "demo")
    #expect(transcript.output.contains("How do I fold a boat?"))
    chat.closeInput()
    #expect(await chat.end().status == 0)
  }

  /// The processes of the worker's program on the machines of a test.
  private static func workers(of ssh: SSHHosts) -> [String] {
    let files = FileManager.default
    return ((try? files.contentsOfDirectory(atPath: "/proc")) ?? []).filter { name in
      guard let path = try? files.destinationOfSymbolicLink(atPath: "/proc/\(name)/exe"),
        path.hasSuffix("orchestrator-worker"),
        let mounts = try? String(contentsOfFile: "/proc/\(name)/mountinfo", encoding: .utf8)
      else { return false }
      return mounts.contains(ssh.folder)
    }
  }
}
