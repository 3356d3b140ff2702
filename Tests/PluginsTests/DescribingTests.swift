import Foundation
import Testing

@testable import Plugins

/// Agents that compile, but whose own code fails to describe them.
@Suite(.timeLimit(.minutes(5)))
struct DescribingTests {
  @Test(arguments: [
    (#"while true { print("word") }"#, "prints too much"),
    ("while true { sleep(600) }", "did not describe the agent within 10 seconds"),
    ("exit(0)", "ended the process before it had described the agent. Do not call exit()"),
    ("exit(3)", "it exited with status 3"),
    ("signal(SIGABRT, SIG_DFL); abort()", "it was killed by signal 6"),
    (#"fatalError("no pot")"#, "Fatal error: no pot"),
  ])
  func `One is told so once, is compiled once, and takes no other away`(
    code: String,
    words: String
  ) async throws {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", Workshop.source("Greeter"))
    try workshop.write("Silent.swift", Self.source(code))
    let told = Told()
    let store = try await workshop.store()
    #expect(try await store.refresh(told.note).map(\.source) == ["Greeter"])
    let reports = told.take()
    let output = try #require(reports.compactMap(\.output).first)
    #expect(output.contains(words), "\(output)")
    #expect(output.utf8.count < 1000)
    #expect(reports.contains(.compiling("Silent")))
    #expect(await store.failuresAreLasting)
    #expect(try await store.refresh(told.note).map(\.source) == ["Greeter"])
    #expect(told.take().isEmpty)
    // Another process does not try it again either, unless asked to.
    let another = try await workshop.store()
    #expect(try await another.refresh(told.note).map(\.source) == ["Greeter"])
    #expect(told.take() == [.stillFails("Silent", keepsOld: false)])
    #expect(await another.currentFailures["Silent"] == output)
    // It is tried again after a change.
    try workshop.write("Silent.swift", Workshop.source("Silent"))
    #expect(try await store.refresh(told.note).map(\.source) == ["Greeter", "Silent"])
    #expect(told.take() == [.compiling("Silent")])
  }

  @Test func `One that another process could compile is there`() async throws {
    let workshop = try Workshop()
    let missing = workshop.folder.appending(path: "pot").path
    let code = #"if access("\#(missing)", F_OK) != 0 { fatalError("no pot") }"#
    try workshop.write("Silent.swift", Self.source(code))
    let store = try await workshop.store()
    let told = Told()
    for _ in 0..<2 { #expect(try await store.refresh(told.note).isEmpty) }
    #expect(await store.failuresAreLasting)
    #expect(FileManager.default.createFile(atPath: missing, contents: nil))
    // Nothing suggests that another try would help, so only a store that is told to try does.
    #expect(try await store.refresh().isEmpty)
    let another = try await workshop.store(recallsFailures: false)
    #expect(try await another.refresh().map(\.source) == ["Silent"])
    _ = told.take()
    #expect(try await store.refresh(told.note).map(\.source) == ["Silent"])
    #expect(told.take().isEmpty)
  }

  @Test func `What cannot be written is told as that, and not as the agent's`() async throws {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", Workshop.source("Greeter"))
    let plugin = try #require(try await workshop.store().refresh().first)
    let worker = try await Workshop.toolchain().worker
    let line = "'\(worker)' --describe '\(plugin.library)'"
    let written = try await Subprogram("/bin/sh", ["-c", line]).run(within: .seconds(60))
    #expect(written.status == 0)
    let lost = try await Subprogram("/bin/sh", ["-c", "\(line) > /dev/full"])
      .run(within: .seconds(60))
    #expect(lost.status == EX_IOERR)
    #expect(lost.reason.contains("the answer cannot be written"), "\(lost.output)")
  }

  @Test func `How strictly one is confined meanwhile is the caller's to say`() async throws {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", "")
    try workshop.writeStandIns()
    let (said, worker) = ("../said", "../orchestrator-worker")
    try workshop.write(
      worker,
      "#!/bin/sh\necho \"$@\" >>'\(workshop.agents)/\(said)'\necho '\(Workshop.greeter)'\n"
    )
    chmod("\(workshop.agents)/\(worker)", 0o755)
    var toolchain = try await AgentToolchain(
      beside: workshop.folder.appending(path: "orchestrator").path,
      environment: ["ORCHESTRATOR_SWIFTC": workshop.folder.appending(path: "swiftc").path]
    )
    for isRequired in [false, true] {
      toolchain.requiresSandbox = isRequired
      let cache = "\(workshop.cache)-\(isRequired)"
      let store = PluginStore(folder: workshop.agents, toolchain: toolchain, cache: cache)
      #expect(try await store.refresh().map(\.source) == ["Greeter"])
    }
    let lines = try String(contentsOfFile: "\(workshop.agents)/\(said)", encoding: .utf8)
      .split(separator: "\n").filter { $0.hasPrefix("--describe ") }
    #expect(lines.compactMap { $0.split(separator: " ").last } == ["default", "required"])
  }

  @Test func `One is described as strictly confined as is wanted, or not at all`() async throws {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", Workshop.source("Greeter"))
    let plugin = try #require(try await workshop.store().refresh().first)
    let worker = try await Workshop.toolchain().worker
    let ways: [(mode: String, status: Int32)] = [
      ("default", 0), ("required", 0), ("strictly", EX_USAGE),
    ]
    for way in ways {
      let run = try await Subprogram(worker, ["--describe", plugin.library, way.mode])
        .run(within: .seconds(60))
      #expect(run.status == way.status, "\(way.mode): \(run.output)")
      #expect(run.output.contains(#""name":"greeter""#) == (way.status == 0), "\(way.mode)")
    }
  }

  @Test func `One is bound to AgentKit, and to nothing else of the worker`() async throws {
    let workshop = try Workshop()
    let names = ["$s8AgentKit0A0Mp", "llama_backend_init", "ggml_init", "csystem_spawn"]
    try workshop.write(
      "Silent.swift",
      Self.source(
        """
        let seen = (\(names) as [String]).filter { dlsym(nil, $0) != nil }
        fatalError("sees \\(seen)")
        """
      )
    )
    let told = Told()
    #expect(try await workshop.store().refresh(told.note).isEmpty)
    let output = try #require(told.take().compactMap(\.output).first)
    #expect(output.contains(#"sees ["$s8AgentKit0A0Mp"]"#), "\(output)")
  }

  private static func source(_ code: String) -> String {
    """
    import AgentKit
    import Glibc

    struct Silent: Agent {
      let name = "silent"
      let description = "says nothing of itself"

      var body: some DynamicProfile {
        let _: Void = { \(code) }()
        Profile { Instructions("You are there.") }
      }
    }

    """
  }
}
