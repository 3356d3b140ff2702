import AgentKit
import Foundation
import Synchronization
import Testing

@testable import Plugins

@Suite(.timeLimit(.minutes(10)))
struct CompilingTests {
  @Test func `An agent is not compiled for a caller who has cancelled`() async throws {
    let workshop = try Workshop()
    try workshop.write("A.swift", Workshop.source("A"))
    let mark = workshop.folder.appending(path: "served").path
    // Until then, a compilation lasts longer than the wait.
    let toolchain = try await workshop.toolchain(
      compilingBy: "[ -e '\(mark)' ] || exec sleep 600\nexec \"$swiftc\" \"$@\""
    )
    let (began, store) = (AsyncStream<Void>.makeStream(), try await workshop.store(toolchain))
    let waiting = (0..<2).map { _ in
      Task { try await store.refresh { _ in began.continuation.yield() } }
    }
    for await _ in began.stream { break }
    waiting[0].cancel()
    waiting[1].cancel()
    for task in waiting {
      let failed = await #expect(throws: (any Error).self) { try await task.value }
      #expect(failed is CancellationError, "\(String(describing: failed))")
    }
    // The next one is served.
    #expect(FileManager.default.createFile(atPath: mark, contents: nil))
    #expect(try await store.refresh().count == 1)
  }

  @Test func `What killed processes left of their compilations is removed, and no other`()
    async throws
  {
    let workshop = try Workshop()
    try workshop.write("A.swift", Workshop.source("A"))
    let store = try await workshop.store()
    let files = FileManager.default
    try files.createDirectory(atPath: workshop.cache, withIntermediateDirectories: true)
    let (old, young) = ("B-0.so.1.swift", "B-0.so.2.swift")
    for (name, age) in [(old, PluginCache.draftSeconds + 60), (young, 60)] {
      let draft = "\(workshop.cache)/\(name)"
      try "".write(toFile: draft, atomically: true, encoding: .utf8)
      let date = Date(timeIntervalSinceNow: -age)
      try files.setAttributes([.modificationDate: date], ofItemAtPath: draft)
    }
    #expect(try await store.refresh().count == 1)
    store.removeUnused()
    let left = try files.contentsOfDirectory(atPath: workshop.cache)
    #expect(!left.contains(old))
    #expect(left.contains(young))
    #expect(left.count { $0.hasSuffix(".so") } == 1)
  }

  @Test func `A file and a folder become agents, and are compiled once`() async throws {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", Workshop.source("Greeter", "greets"))
    try workshop.write("Cook/Cook.swift", Workshop.source("Cook", "cooks", "Look()"))
    try workshop.write(
      "Cook/Tools/Look.swift",
      """
      import AgentKit

      struct Look: Tool {
        let description = "looks into the pot"

        @Generable
        struct Arguments {
          var pot: String
        }

        func call(arguments: Arguments) async throws -> String { "soup" }
      }

      """
    )
    try workshop.write("notes.txt", "no agent")
    try workshop.write(".hidden.swift", "no agent")
    let told = Told()
    let store = try await workshop.store()
    let plugins = try await store.refresh(told.note)
    #expect(plugins.map(\.description.name) == ["cook", "greeter"])
    #expect(plugins.map(\.description.description) == ["cooks", "greets"])
    #expect(plugins.map(\.description.tools.count) == [1, 0])
    #expect(Set(plugins.map(\.library)).count == 2)
    let reports = told.take()
    #expect(reports.count == 2)
    #expect(reports.contains(.compiling("Cook")) && reports.contains(.compiling("Greeter")))

    #expect(try await store.refresh(told.note) == plugins)
    // Another coordinator finds the plugins in the cache.
    #expect(try await workshop.store().refresh(told.note) == plugins)
    #expect(told.take().isEmpty)

    try workshop.write("Greeter.swift", Workshop.source("Greeter", "greets loudly"))
    let edited = try await store.refresh(told.note)
    #expect(told.take() == [.compiling("Greeter")])
    #expect(edited[0] == plugins[0])
    #expect(edited[1].library != plugins[1].library)
    #expect(edited[1].description.description == "greets loudly")

    // Reverting an edit finds the earlier plugin again.
    try workshop.write("Greeter.swift", Workshop.source("Greeter", "greets"))
    #expect(try await store.refresh(told.note) == plugins)
    #expect(told.take().isEmpty)

    try workshop.remove("Greeter.swift")
    #expect(try await store.refresh(told.note).map(\.source) == ["Cook"])
  }

  @Test func `A broken edit keeps the old plugin, and is compiled and told once`() async throws {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", Workshop.source("Greeter"))
    let told = Told()
    let store = try await workshop.store()
    let plugins = try await store.refresh(told.note)
    _ = told.take()
    let broken = Workshop.source("Greeter", "greets", "Instructions(nothing)")
    try workshop.write("Greeter.swift", broken)
    #expect(try await store.refresh(told.note) == plugins)
    let reports = told.take()
    let output = try #require(reports.last?.output)
    #expect(reports == [.compiling("Greeter"), .failed("Greeter", output: output, keepsOld: true)])
    // The compiler's own words, with the location.
    #expect(output.contains("\(workshop.agents)/Greeter.swift:10:"))
    #expect(output.contains("error:"))
    #expect(await store.currentFailures == ["Greeter": output])

    #expect(try await store.refresh(told.note) == plugins)
    #expect(told.take().isEmpty)

    // The old plugin is still in use after a restart.
    #expect(try await workshop.store().refresh(told.note) == plugins)
    #expect(told.take().last == .stillFails("Greeter", keepsOld: true))

    try workshop.write("Greeter.swift", Workshop.source("Greeter", "greets again"))
    let mended = try await store.refresh(told.note)
    #expect(mended.map(\.description.description) == ["greets again"])
    #expect(await store.currentFailures.isEmpty)

    try workshop.write("Greeter.swift", broken)
    _ = try await store.refresh()
    try workshop.remove("Greeter.swift")
    #expect(try await store.refresh().isEmpty)
    #expect(await store.currentFailures.isEmpty)
  }

  @Test func `An agent that never compiled has no old plugin, whatever its namesake has`()
    async throws
  {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", Workshop.source("Greeter"))
    _ = try await workshop.store().refresh()
    let other = PluginStore(
      folder: workshop.folder.appending(path: "Other").path,
      toolchain: try await Workshop.toolchain(),
      cache: workshop.cache
    )
    try workshop.write("../Other/Greeter.swift", "nonsense")
    let told = Told()
    #expect(try await other.refresh(told.note).isEmpty)
    let output = told.take().last?.output ?? ""
    #expect(await other.currentFailures == ["Greeter": output])
    #expect(output.contains("Greeter.swift:1:"))
  }

  @Test(arguments: [
    ("struct Other {}", "must declare a type named 'Greeter'"),
    ("struct Greeter {}", "that conforms to 'Agent'"),
  ])
  func `A file without its agent is explained in its author's words`(
    source: String,
    words: String
  ) async throws {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", source + "\n")
    let told = Told()
    #expect(try await workshop.store().refresh(told.note).isEmpty)
    let output = try #require(told.take().last?.output)
    #expect(output.contains(words))
    #expect(!output.contains(".so."))
  }

  @Test func `A failure in another process is retried when the reason is wanted`()
    async throws
  {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", "struct Greeter {}\n")
    let told = Told()
    _ = try await workshop.store().refresh(told.note)
    let reports = told.take()
    #expect(reports.first == .compiling("Greeter"))
    _ = try await workshop.store().refresh(told.note)
    #expect(told.take() == [.stillFails("Greeter", keepsOld: false)])
    let checking = PluginStore(
      folder: workshop.agents,
      toolchain: try await Workshop.toolchain(),
      cache: workshop.cache,
      recallsFailures: false
    )
    _ = try await checking.refresh(told.note)
    #expect(told.take() == reports)
    // A failure is remembered per source text and recognized when that text returns.
    try workshop.write("Greeter.swift", Workshop.source("Greeter"))
    _ = try await workshop.store().refresh(told.note)
    try workshop.write("Greeter.swift", "struct Greeter {}\n")
    _ = try await workshop.store().refresh(told.note)
    #expect(told.take() == [.compiling("Greeter"), .stillFails("Greeter", keepsOld: true)])
  }

  @Test(arguments: [false, true])
  func `A file's name may be in another Unicode form than its type`(isDecomposed: Bool) async throws
  {
    let workshop = try Workshop()
    let (composed, decomposed) = ("B\u{FC}ro", "Bu\u{308}ro")
    let (file, type) = isDecomposed ? (decomposed, composed) : (composed, decomposed)
    try workshop.write("\(file).swift", Workshop.source(type))
    let failures = Mutex<[String]>([])
    let plugins = try await workshop.store().refresh { report in
      if case .failed(_, let output, _) = report { failures.withLock { $0.append(output) } }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(plugins.count == 1)
  }

  @Test func `A file whose name is no type's is told so, once`() async throws {
    let workshop = try Workshop()
    try workshop.write("my-agent.swift", Workshop.source("Greeter"))
    let told = Told()
    let store = try await workshop.store()
    #expect(try await store.refresh(told.note).isEmpty)
    let output =
      "'my-agent' is not a valid type name; name an agent's file after its type."
    #expect(told.take() == [.failed("my-agent", output: output, keepsOld: false)])
    #expect(await store.failuresAreLasting)
    _ = try await store.refresh(told.note)
    #expect(told.take().isEmpty)
  }

  @Test func `The agent that 'agents new' writes compiles and has nothing wrong`() async throws {
    let workshop = try Workshop()
    let path = try AgentTemplate.write("greeter", in: workshop.agents)
    #expect(path == "\(workshop.agents)/Greeter.swift")
    let plugins = try await workshop.store().refresh()
    #expect(plugins.map(\.description.name) == ["greeter"])
    #expect(Validation.findings(in: plugins).isEmpty)
    #expect(throws: AgentTemplate.Fault.exists(path: path)) {
      try AgentTemplate.write("Greeter", in: workshop.agents)
    }
    for name in ["", "9lives", "a-b", "a b", "../up", String(repeating: "a", count: 65), "teil²"] {
      #expect(throws: AgentTemplate.Fault.notAName(name)) {
        try AgentTemplate.write(name, in: workshop.agents)
      }
    }
  }

  @Test func `The agents that ship compile and have nothing wrong`() async throws {
    let workshop = try Workshop()
    let shipped = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Agents").standardizedFileURL.path
    let store = PluginStore(
      folder: shipped,
      toolchain: try await Workshop.toolchain(),
      cache: workshop.cache
    )
    let plugins = try await store.refresh()
    #expect(await store.currentFailures.isEmpty)
    #expect(plugins.count == (try AgentSource.find(in: shipped).count))
    #expect(plugins.count >= 4)
    #expect(Validation.findings(in: plugins).map(\.description) == [])
  }
}
