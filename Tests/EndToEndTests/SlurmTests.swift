import Foundation
import TestSupport
import Testing

/// A real Slurm, whose nodes are this machine several times.
///
/// It takes minutes, so it runs only when it is asked for.
@Suite(.timeLimit(.minutes(5)), .serialized, .enabled(if: SlurmTests.areAskedFor, SlurmTests.hint))
struct `Hosts that Slurm gives out` {
  @Test func `answer as this machine does, and are shown with what runs there`() async throws {
    let here = try Product()
    let input = Product.prompts.joined(separator: "\n") + "\n"
    let expected = try await here.run("start", input: input)
    let stage = try await SlurmStage()
    let agents = try stage.product.writeAgents(on: ["Tutorial": "slurm", "Title": "slurm"])
    try stage.product.write(hosts: [stage.entry(count: 2)])
    let chat = try await stage.product.chat(agents, "--session", "demo")
    chat.type(input)
    let isAnswered = await chat.waitForOutput {
      $0.split(separator: "\n").count >= expected.lines.count && $0.hasSuffix("\n")
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
    let stage = try await SlurmStage(nodes: 1)
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
      let host = try? await stage.product.hosts().first
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

  @Test func `are asked for no longer when the turn that waits for them is cancelled`() async throws
  {
    let stage = try await SlurmStage(nodes: 1)
    let agents = try stage.product.writeAgents(on: ["Tutorial": "slurm"])
    try stage.product.write(hosts: [stage.entry(waitLimit: 120)])
    let occupant = try await stage.occupy("n1")
    try await eventually("the node is taken") { try await stage.states() == ["allocated"] }
    let coordinator = try await stage.product.chat(agents, "--no-chat")
    try await stage.product.waitUntilServing()
    let ask = try await stage.product.open(
      "ask",
      "How do I fold a crane?",
      "--session",
      "demo",
      "--agent",
      "tutorial"
    )
    try await eventually("it is queued", within: .seconds(30)) {
      try await stage.product.hosts().first?.state == "queued"
    }
    let start = ContinuousClock.now
    ask.signal(SIGINT)
    try await eventually("the occupant's is the only job", within: .seconds(20)) {
      try await stage.run("squeue --noheader --format=%T").lines == ["RUNNING"]
    }
    #expect(ContinuousClock.now - start < .seconds(5))
    #expect(try await stage.product.hosts().first?.state == "off")
    occupant.closeInput()
    _ = await ask.end()
    #expect(try await stage.product.run("stop").status == 0)
    _ = await coordinator.end()
  }

  @Test func `that can never be had are not waited for`() async throws {
    let stage = try await SlurmStage(nodes: 1)
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
    let stage = try await SlurmStage(nodes: 2)
    let agents = try stage.product.writeAgents(on: ["Tutorial": "slurm"])
    try stage.product.write(hosts: [stage.entry(count: 2)])
    let chat = try await stage.product.chat(agents, "--session", "demo", "--agent", "tutorial")
    try await stage.ask("crane", in: chat)
    let first = try #require(try await stage.product.runs().last { $0.host != nil })
    let node = try await stage.node()
    #expect(
      try await stage.run("scontrol update nodename=\(node) state=drain reason=test").status == 0
    )
    try await stage.ask("boat", in: chat)
    let held = try await stage.product.runs().filter { $0.agent == "tutorial" }
    #expect(held.map(\.pid) == [first.pid], "the worker on the drained node goes on")

    // A job of higher priority preempts it; the node itself is open again.
    #expect(try await stage.run("scontrol update nodename=\(node) state=resume").status == 0)
    let urgent = try await stage.occupy(node, "--partition=urgent")
    try await eventually("the worker is gone", within: .seconds(60)) {
      try await stage.product.runs().contains { $0.pid == first.pid && $0.outcome != nil }
    }
    try await stage.ask("fox", in: chat)
    let runs = try await stage.product.runs().filter { $0.agent == "tutorial" }
    #expect(runs.count >= 2 && runs.last?.pid != first.pid, "\(runs)")
    urgent.closeInput()
    chat.closeInput()
    #expect(await chat.end().status == 0)
  }

  @Test func `go on without the daemon of their node, and are replaced when Slurm gives it up`()
    async throws
  {
    let stage = try await SlurmStage(nodes: 2)
    let agents = try stage.product.writeAgents(on: ["Tutorial": "slurm"])
    try stage.product.write(hosts: [stage.entry(count: 2)])
    let chat = try await stage.product.chat(agents, "--session", "demo", "--agent", "tutorial")
    try await stage.ask("crane", in: chat)
    let first = try await stage.lastRun()
    #expect(first.host?.hasPrefix("slurm") == true)
    try await stage.cluster.perform("orphan \(try await stage.node())")
    try await stage.ask("boat", in: chat)
    #expect(try await stage.lastRun().pid == first.pid, "its worker goes on")
    // Slurm gives up the node, and its launcher ends as if all were well.
    try await eventually("the worker is given up", within: .seconds(120)) {
      try await stage.product.runs().contains { $0.pid == first.pid && $0.outcome != nil }
    }
    try await stage.ask("fox", in: chat)
    #expect(try await stage.lastRun().pid != first.pid)
    try await eventually("nothing outlives the lease", within: .seconds(60)) {
      !Stranger.isRunning(first.pid)
    }
    chat.closeInput()
    #expect(await chat.end().status == 0)
  }

  @Test func `that crash take no turn with them`() async throws {
    let stage = try await SlurmStage(nodes: 2)
    let agents = try stage.product.writeAgents(on: ["Tutorial": "slurm"])
    try stage.product.write(hosts: [stage.entry(count: 2)])
    let chat = try await stage.product.chat(agents, "--session", "demo", "--agent", "tutorial")
    try await stage.ask("crane", in: chat)
    let first = try await stage.lastRun()
    try await stage.cluster.perform("crash \(try await stage.node())")
    // Its launcher notices nothing; the silence of the outpost is what counts.
    try await stage.ask("boat", in: chat)
    #expect(try await stage.lastRun().pid != first.pid)
    chat.closeInput()
    #expect(await chat.end().status == 0)
  }

  @Test func `are the steps of one allocation, one on each of its nodes, and end with it`()
    async throws
  {
    let stage = try await SlurmStage(nodes: 2)
    let agents = try stage.product.writeAgents(on: ["Tutorial": "slurm"])
    try stage.product.write(hosts: [try stage.allocated(count: 2)])
    let occupant = try await stage.occupy("n1")
    try await eventually("a node is taken") { try await stage.states().contains("allocated") }
    let chat = try await stage.product.chat(agents, "--session", "demo", "--agent", "tutorial")
    try await stage.product.waitUntilServing()
    chat.type("How do I fold a crane?\n")
    try await eventually("the reason is shown", within: .seconds(30)) {
      try await stage.product.hosts().contains {
        $0.state == "queued" && $0.reason?.contains("Resources") == true
      }
    }
    occupant.closeInput()
    #expect(await chat.waitForOutput { $0.contains("4. ") && $0.hasSuffix("\n") }, "\(chat.errors)")
    #expect(try await stage.lastRun().host?.hasPrefix("slurm-") == true)
    let start = try await stage.product.run("hosts", "start", "slurm")
    #expect(start.status == 0, "\(start.errors)")
    #expect(try await stage.product.hosts().map(\.state) == ["up", "up"])
    #expect(try await stage.run("squeue --noheader --format=%D").lines == ["2"], "one job")
    #expect(
      try await Set(stage.run("squeue --steps --noheader --format=%N").lines).isSuperset(of: [
        "n1", "n2",
      ])
    )
    // One that is stopped leaves the other its node, and starts on its own again.
    #expect(try await stage.product.run("hosts", "stop", "slurm-1").status == 0)
    try await stage.ask("boat", in: chat)
    #expect(try await stage.product.run("hosts", "start", "slurm-1").status == 0)
    #expect(try await stage.run("squeue --noheader --format=%D").lines == ["2"])
    let worker = try await stage.lastRun()
    await chat.end(by: SIGKILL)
    try await eventually("the job is gone with its coordinator", within: .seconds(30)) {
      try await stage.run("squeue --noheader").output.isEmpty
    }
    #expect(await Stranger.hasGone(worker.pid))
  }

  @Test func `connect back where they are to, and answer the same`() async throws {
    let stage = try await SlurmStage(nodes: 1)
    let agents = try stage.product.writeAgents(on: ["Tutorial": "slurm"])
    var entry = stage.entry()
    entry.connectBack = "127.0.0.1"
    var other = stage.entry()
    other.name = "pipes"
    try stage.product.write(hosts: [entry, other])
    let doctor = try await stage.product.run(
      "doctor",
      "--agents",
      agents,
      "--allow",
      "hosts.json",
      "--host",
      "slurm",
      "--host",
      "pipes"
    )
    #expect(doctor.output.contains("slurm has connected back"), "\(doctor.output)")
    #expect(doctor.output.contains("the launcher of pipes is slow"), "\(doctor.output)")
    let chat = try await stage.product.chat(agents, "--session", "demo", "--agent", "tutorial")
    try await stage.ask("crane", in: chat)
    #expect(try await stage.lastRun().host == "slurm")
    chat.closeInput()
    #expect(await chat.end().status == 0)
    try await eventually("Slurm has its node back", within: .seconds(20)) {
      try await stage.states() == ["idle"]
    }
  }
}

private enum SlurmTests {
  private static let variable = "ORCHESTRATOR_SLURM_TESTS"
  static let hint = Comment(rawValue: "Set \(variable)=1 to run them.")
  static let areAskedFor = ProcessInfo.processInfo.environment[variable] != nil
}
