import AgentKit
import Foundation
import Testing

@testable import Plugins

@Suite(.timeLimit(.minutes(10)))
struct KitTests {
  /// Makes a toolchain with another fingerprint whose worker is a script.
  ///
  /// The script describes every plugin in the words of the real worker.
  private func toolchain(_ fingerprint: String, in workshop: Workshop) async throws
    -> AgentToolchain
  {
    let folder = workshop.folder.appending(path: "toolchain-\(fingerprint)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in ["Modules", "AgentKitMacros-tool"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.appending(path: name).path,
        withDestinationPath: "\(Workshop.products)/\(name)"
      )
    }
    let worker = folder.appending(path: "orchestrator-worker").path
    let script = """
      #!/bin/sh
      case "$1" in
        --fingerprint) echo \(fingerprint) ;;
        *) echo '\(Workshop.greeter)' ;;
      esac
      """
    try script.write(toFile: worker, atomically: true, encoding: .utf8)
    chmod(worker, 0o755)
    return try await AgentToolchain(
      beside: folder.appending(path: "orchestrator").path,
      environment: ProcessInfo.processInfo.environment
    )
  }

  @Test func `A plugin for another build of the worker is not used`() async throws {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", Workshop.source("Greeter"))
    let told = Told()
    let old = try await workshop.store(toolchain("aaaa", in: workshop)).refresh(told.note)
    #expect(told.take() == [.compiling("Greeter")])
    let new = try await toolchain("bbbb", in: workshop)
    let plugins = try await workshop.store(new).refresh(told.note)
    #expect(told.take() == [.compiling("Greeter")])
    #expect(plugins.first?.library != old.first?.library)
    // The old plugin is not used even when the source no longer compiles.
    let third = try await toolchain("cccc", in: workshop)
    try workshop.write("Greeter.swift", "nonsense")
    #expect(try await workshop.store(third).refresh(told.note).isEmpty)
    guard case .failed(_, _, keepsOld: false) = told.take().last else {
      Issue.record("An old plugin was kept.")
      return
    }
    #expect(try await workshop.store(new).refresh() == plugins)
  }

  @Test func `An agent that no longer compiles is known by its last plugin, for whichever build`()
    async throws
  {
    let workshop = try Workshop()
    try workshop.write("Cook.swift", Workshop.source("Cook"))
    // Its worker calls every agent a greeter.
    let plugins = try await workshop.store(toolchain("aaaa", in: workshop)).refresh()
    #expect(plugins.map(\.description.name) == ["greeter"])
    try workshop.write("Cook.swift", "nonsense")
    let store = try await workshop.store(toolchain("bbbb", in: workshop))
    #expect(try await store.refresh().isEmpty)
    let problem = try #require(await store.problem(of: "greeter"))
    #expect(problem.contains("error:") && !problem.contains("\n"))
    #expect(await store.problem(of: "cook") == nil)
    try workshop.remove("Cook.swift")
    #expect(try await store.refresh().isEmpty)
    #expect(await store.problem(of: "greeter") == nil)
  }

  @Test func `An agent that never compiled is known by its file's name, or by what its text says`()
    async throws
  {
    let workshop = try Workshop()
    try workshop.write("WebScout.swift", "nonsense")
    try workshop.write("Cook.swift", "let name = \"chef\"; nonsense")
    // Never read, because nothing may ever write to it.
    #expect(mkfifo(workshop.agents + "/Pipe.swift", 0o600) == 0)
    let store = try await workshop.store()
    #expect(try await store.refresh().isEmpty)
    for name in ["webscout", "web_scout", "cook", "chef"] {
      #expect(await store.problem(of: name) != nil, "\(name)")
    }
    #expect(await store.problem(of: "nonsense") == nil)
  }

  @Test func `An agent that is kept as it was has no problem`() async throws {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", Workshop.source("Greeter"))
    let store = try await workshop.store()
    _ = try await store.refresh()
    try workshop.write("Greeter.swift", "nonsense")
    #expect(try await store.refresh().count == 1)
    #expect(await store.problem(of: "greeter") == nil)
  }

  @Test func `Once another build is in its place it compiles nothing, keeps all and says so once`()
    async throws
  {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", Workshop.source("Greeter"))
    let toolchain = try await toolchain("ffff", in: workshop)
    let told = Told()
    let store = try await workshop.store(toolchain)
    let plugins = try await store.refresh(told.note)
    #expect(plugins.count == 1)
    #expect(told.take() == [.compiling("Greeter")])
    #expect(!toolchain.isReplaced && !toolchain.isWorkerReplaced)
    // As an installation does: another file under the same name.
    let worker = try String(contentsOfFile: toolchain.worker, encoding: .utf8)
    try worker.replacing("ffff", with: "abcd")
      .write(toFile: toolchain.worker, atomically: true, encoding: .utf8)
    chmod(toolchain.worker, 0o755)
    #expect(toolchain.isReplaced && toolchain.isWorkerReplaced)
    #expect(try await store.refresh(told.note) == plugins)
    #expect(told.take() == [.replaced(folder: toolchain.folder)])
    try workshop.write("Greeter.swift", Workshop.source("Greeter", "is changed"))
    try workshop.write("Other.swift", Workshop.source("Other"))
    #expect(try await store.refresh(told.note) == plugins)
    #expect(told.take().isEmpty)
  }

  @Test func `Other modules alone are another build, and no other worker`() async throws {
    let workshop = try Workshop()
    let toolchain = try await toolchain("0123", in: workshop)
    try FileManager.default.removeItem(atPath: toolchain.modules)
    #expect(toolchain.isReplaced && !toolchain.isWorkerReplaced)
    try workshop.write("../toolchain-0123/Modules/AgentKit.swiftmodule", "another module")
    #expect(toolchain.isReplaced && !toolchain.isWorkerReplaced)
  }

  @Test func `A plugin for other macros or another module is not used`() async throws {
    let workshop = try Workshop()
    try workshop.write("Greeter.swift", Workshop.source("Greeter"))
    let toolchain = try await toolchain("eeee", in: workshop)
    let compiler = PluginCompiler(toolchain: toolchain, cache: PluginCache(folder: workshop.cache))
    let source = try #require(try AgentSource.find(in: workshop.agents).first)
    let first = try compiler.slot(of: source)
    #expect(try compiler.slot(of: source).base == first.base)
    try FileManager.default.removeItem(atPath: toolchain.macros)
    try workshop.write("../toolchain-eeee/AgentKitMacros-tool", "other macros")
    let second = try compiler.slot(of: source)
    #expect(second.base != first.base)
    try FileManager.default.removeItem(atPath: toolchain.modules)
    var bases = [second.base]
    for module in AgentToolchain.importable {
      try workshop.write("../toolchain-eeee/Modules/\(module).swiftmodule", "another module")
      bases.append(try compiler.slot(of: source).base)
    }
    #expect(Set(bases).count == bases.count)
    #expect(toolchain.compiledAgainst.allSatisfy { FileManager.default.fileExists(atPath: $0) })
  }

  @Test func `A folder that is not there is named`() async throws {
    let workshop = try Workshop()
    let nowhere = workshop.folder.appending(path: "nowhere").path
    let store = PluginStore(
      folder: nowhere,
      toolchain: try await Workshop.toolchain(),
      cache: workshop.cache
    )
    await #expect(throws: PluginError.noFolder(nowhere)) { try await store.refresh() }
    try workshop.write("file", "no folder")
    let file = "\(workshop.agents)/file"
    #expect(throws: PluginError.noFolder(file)) { try AgentSource.find(in: file) }
    #expect(PluginError.noFolder(nowhere).description.contains(nowhere))
  }

  // Runs in its own process, which gives up being root because root can read everything.
  @Test func `A folder that cannot be read is not called missing`() async throws {
    let workshop = try Workshop()
    try #require(chmod(workshop.agents, 0) == 0)
    defer { chmod(workshop.agents, 0o700) }
    await #expect(processExitsWith: .success) { [path = workshop.agents as String] in
      if geteuid() == 0 { try #require(setuid(65534) == 0) }
      let error = PluginError.folderUnreadable(path, reason: String(cString: strerror(EACCES)))
      #expect(throws: error) { try AgentSource.find(in: path) }
      #expect("\(error)".contains("The agents folder \(path) cannot be read"))
    }
  }

  @Test func `A compiler that is not there is named`() async throws {
    let products = Workshop.products + "/orchestrator"
    await #expect(throws: PluginError.noCompiler(searched: "PATH")) {
      try await AgentToolchain(beside: products, environment: ["PATH": "/nowhere:/nothing"])
    }
    await #expect(throws: PluginError.noCompiler(searched: "/nowhere/swiftc")) {
      try await AgentToolchain(
        beside: products,
        environment: ["ORCHESTRATOR_SWIFTC": "/nowhere/swiftc"]
      )
    }
    await #expect(throws: PluginError.noCompiler(searched: "PATH")) {
      try await AgentToolchain(
        beside: products,
        environment: ["ORCHESTRATOR_SWIFTC": "", "PATH": "/nowhere"]
      )
    }
  }

  @Test func `Whatever is missing of the toolchain is named`() async throws {
    let workshop = try Workshop()
    let folder = workshop.folder.appending(path: "empty").path
    await #expect(throws: PluginError.incompleteKit(missing: "\(folder)/orchestrator-worker")) {
      try await AgentToolchain(beside: "\(folder)/orchestrator", environment: [:])
    }
  }

  @Test func `A worker that cannot be run is named`() async throws {
    let workshop = try Workshop()
    _ = try await toolchain("dddd", in: workshop)
    let worker = workshop.folder.appending(path: "toolchain-dddd/orchestrator-worker").path
    try "#!/bin/sh\necho broken\nexit 3\n".write(toFile: worker, atomically: true, encoding: .utf8)
    chmod(worker, 0o755)
    await #expect(throws: PluginError.workerUnusable(path: worker, output: "broken")) {
      try await AgentToolchain(
        beside: workshop.folder.appending(path: "toolchain-dddd/orchestrator").path,
        environment: ProcessInfo.processInfo.environment
      )
    }
  }
}
