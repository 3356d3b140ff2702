import Foundation
import TestSupport
import Testing

/// A real Slurm, whose nodes are this machine several times.
///
/// It takes minutes, so it runs only when it is asked for.
@Suite(.timeLimit(.minutes(5)), .serialized, .enabled(if: SlurmTests.areAskedFor, SlurmTests.hint))
struct `Hosts that Slurm gives out` {
  /// A cluster, and the product that uses it.
  private struct Stage {
    let product: Product
    let cluster: StandingCounterpart
    let folder: String

    init(nodes: Int = 3) async throws {
      product = try Product()
      folder = product.home + "/slurm"
      cluster = try await Counterpart.standing("slurm", [folder, "\(nodes)"])
    }

    func entry(count: Int? = nil, waitLimit: Double? = nil, _ options: String...) -> HostEntry {
      HostEntry(
        name: "slurm",
        launch: [
          "\(folder)/bin/srun", "--ntasks=1", "--nodes=1", "--unbuffered", "--mem=1000",
          "--cpus-per-task=2", "--export=NONE", "--chdir=/",
          "--job-name={instance}",
        ] + options + [Product.folder + "/orchestrator-worker", "--outpost"],
        count: count,
        waitLimit: waitLimit
      )
    }

    func run(_ line: String) async throws -> Product.Outcome {
      try await product.shell("cd '\(folder)/bin' && ./\(line)")
    }

    /// Takes all of a node for a while.
    func occupy(_ node: String, _ options: String = "") async throws -> Session {
      try await product.open(
        shell: "exec '\(folder)/bin/srun' -n1 -w \(node) --exclusive --mem=0 \(options) cat"
      )
    }

    func states(of partition: String = "all") async throws -> [String] {
      try await run("sinfo --noheader -N -p \(partition) --format=%T").lines
    }
  }

  @Test func `answer as this machine does, and are shown with what runs there`() async throws {
    let here = try Product()
    let input = Product.prompts.joined(separator: "\n") + "\n"
    let expected = try await here.run("start", input: input)
    let stage = try await Stage()
    let agents = try stage.product.writeAgents(on: ["Tutorial": "slurm", "Title": "slurm"])
    try stage.product.write(hosts: [stage.entry(count: 2)])
    let chat = try await stage.product.chat(agents, "--session", "demo")
    chat.type(input)
    let isAnswered = await chat.waitForOutput {
      $0.split(separator: "\n").count >= expected.lines.count
    }
    #expect(isAnswered, "\(chat.output)\(chat.errors)")
    #expect(chat.output == expected.output, "\(chat.errors)")
    let runs = try await stage.product.runs()
    for agent in ["tutorial", "title"] {
      #expect(runs.contains { $0.agent == agent && $0.host?.hasPrefix("slurm") == true }, "\(runs)")
    }
    #expect(try await stage.product.run("ps").output.contains("slurm"))
    chat.closeInput()
    #expect(await chat.end().status == 0)
    try await eventually("Slurm has its nodes back", within: .seconds(20)) {
      try await stage.states().allSatisfy { $0 == "idle" }
    }
  }

  @Test func `are waited for, with the reason shown and the time of the turn standing still`()
    async throws
  {
    let stage = try await Stage(nodes: 1)
    let agents = try stage.product.writeAgents(on: ["Tutorial": "slurm"])
    try stage.product.write(hosts: [stage.entry(waitLimit: 120)])
    let occupant = try await stage.occupy("n1")
    try await eventually("the node is taken") { try await stage.states() == ["allocated"] }
    let chat = try await stage.product.chat(
      agents,
      "--session",
      "demo",
      "--agent",
      "tutorial",
      "--caps",
      "seconds=8"
    )
    let begin = ContinuousClock.now
    chat.type("How do I fold a crane?\n")
    try await eventually("the reason is shown", within: .seconds(30)) {
      let host = try await stage.product.hosts().first
      return host?.state == "queued" && host?.reason?.contains("Resources") == true
    }
    #expect(try await stage.product.run("ps").output.contains("Resources"))
    #expect(await chat.waitForErrors { $0.contains("Resources") }, "\(chat.errors)")
    // Longer than its cap.
    try await Task.sleep(until: begin + .seconds(10))
    occupant.closeInput()
    #expect(await chat.waitForOutput { $0.contains("4. ") && $0.hasSuffix("\n") }, "\(chat.errors)")
    #expect(try await stage.product.runs().contains { $0.host == "slurm" })
    chat.closeInput()
    #expect(await chat.end().status == 0)
  }

  @Test func `that can never be had are not waited for`() async throws {
    let stage = try await Stage(nodes: 1)
    let agents = try stage.product.writeAgents(on: ["Tutorial": "slurm"])
    try stage.product.write(hosts: [stage.entry(waitLimit: 120, "--cpus-per-task=64")])
    let chat = try await stage.product.chat(agents, "--session", "demo", "--agent", "tutorial")
    chat.type("How do I fold a crane?\n")
    // The agent names no files of the host, so this machine will do.
    #expect(await chat.waitForOutput { $0.contains("4. ") && $0.hasSuffix("\n") }, "\(chat.errors)")
    #expect(chat.errors.contains("PartitionConfig"), "\(chat.errors)")
    #expect(try await stage.product.runs().allSatisfy { $0.host == nil })
    chat.closeInput()
    #expect(await chat.end().status == 0)
    try await eventually("no job is left") {
      try await stage.run("squeue --noheader").output.isEmpty
    }
  }

  @Test func `go on when their node is drained, and are replaced when it is taken away`()
    async throws
  {
    let stage = try await Stage(nodes: 2)
    let agents = try stage.product.writeAgents(on: ["Tutorial": "slurm"])
    try stage.product.write(hosts: [stage.entry(count: 2)])
    let chat = try await stage.product.chat(agents, "--session", "demo", "--agent", "tutorial")
    func ask(_ model: String) async throws {
      let count = chat.output.split(separator: "\n").count
      chat.type("How do I fold a \(model)?\n")
      let isAnswered = await chat.waitForOutput {
        $0.split(separator: "\n").count > count + 2 && $0.hasSuffix("\n")
      }
      #expect(isAnswered, "\(model): \(chat.errors)")
    }
    try await ask("crane")
    let first = try #require(try await stage.product.runs().last { $0.host != nil })
    let node = try await stage.run("squeue --noheader --states=R --format=%N").lines.first ?? "n1"
    #expect(
      try await stage.run("scontrol update nodename=\(node) state=drain reason=test").status == 0
    )
    try await ask("boat")
    let held = try await stage.product.runs().filter { $0.agent == "tutorial" }
    #expect(held.map(\.pid) == [first.pid], "the worker on the drained node goes on")

    // A job of higher priority preempts it; the node itself is open again.
    #expect(try await stage.run("scontrol update nodename=\(node) state=resume").status == 0)
    let urgent = try await stage.occupy(node, "--partition=urgent")
    try await eventually("the worker is gone", within: .seconds(60)) {
      try await stage.product.runs().contains { $0.pid == first.pid && $0.outcome != nil }
    }
    try await ask("fox")
    let runs = try await stage.product.runs().filter { $0.agent == "tutorial" }
    #expect(runs.count >= 2 && runs.last?.pid != first.pid, "\(runs)")
    urgent.closeInput()
    chat.closeInput()
    #expect(await chat.end().status == 0)
  }
}

private enum SlurmTests {
  private static let variable = "ORCHESTRATOR_SLURM_TESTS"
  static let hint = Comment(rawValue: "Set \(variable)=1 to run them.")
  static let areAskedFor = ProcessInfo.processInfo.environment[variable] != nil
}
