import Foundation
import Transcripts

/// Compiles agents to plugins and tracks which are compiled already.
struct PluginCompiler: Sendable {
  enum Outcome: Sendable {
    case compiled(library: String, AgentDescription)
    /// The source does not compile or its plugin cannot be loaded.
    ///
    /// The output is the compiler's own. `isLasting` means that the same source is expected to fail
    /// again, so it is not compiled again for some minutes.
    case failed(output: String, isLasting: Bool)
  }

  private static let flags = ["-swift-version", "6", "-Onone"]
  private static let patience = Duration.seconds(300)
  /// How long the plugin's own code may take to describe the agent; milliseconds are normal.
  private static let descriptionPatience = Duration.seconds(10)

  let toolchain: AgentToolchain
  let cache: PluginCache

  /// Returns the place of a source's plugin, with everything that it is made from.
  /// - Throws: An error when the source cannot be read.
  func slot(of source: AgentSource) throws -> PluginCache.Slot {
    try cache.slot(source, toolchain: toolchain, flags: Self.flags)
  }

  /// Returns the plugin that is already in its place; `nil` when there is none.
  func compiled(_ source: AgentSource, in slot: PluginCache.Slot) -> Outcome? {
    guard cache.holds(slot), let description = Self.description(at: slot.descriptionFile) else {
      return nil
    }
    if let problem = AgentName.problem(with: description.name) {
      return .failed(output: problem, isLasting: true)
    }
    cache.remember(slot, of: source)
    return .compiled(library: slot.library, description)
  }

  /// Returns an earlier failure, of any process, that would recur; `nil` if a retry may succeed.
  func failedBefore(in slot: PluginCache.Slot) -> Outcome? {
    cache.failure(of: slot).map { .failed(output: $0, isLasting: true) }
  }

  /// Records a failure that will recur for other processes, or forgets it otherwise.
  func remember(_ outcome: Outcome, in slot: PluginCache.Slot) {
    switch outcome {
    case .failed(let output, isLasting: true): cache.remember(failure: output, of: slot)
    case .compiled, .failed: cache.forgetFailure(of: slot)
    }
  }

  /// Returns the last runnable plugin of a source, for when the source currently makes none.
  func last(of source: AgentSource) -> (library: String, description: AgentDescription)? {
    guard let last = cache.last(of: source, toolchain: toolchain),
      let description = Self.description(at: last.descriptionFile),
      AgentName.problem(with: description.name) == nil
    else { return nil }
    return (last.library, description)
  }

  /// Compiles a source and puts the plugin into its place.
  /// - Returns: `nil` if the source changed meanwhile, so that it is unknown what was compiled.
  func compile(_ source: AgentSource, into slot: PluginCache.Slot) async throws -> Outcome? {
    try FileManager.default.createDirectory(
      atPath: cache.folder,
      withIntermediateDirectories: true
    )
    cache.removeRemains(of: slot)
    // Made under another name and given its own when complete, so that half a plugin is never loaded.
    // The name differs each time but is removed from all output, so that the same failure is reported
    // once.
    let mark = ".\(UUID().uuidString)"
    func failed(_ output: String, isLasting: Bool) -> Outcome {
      .failed(output: output.replacingOccurrences(of: mark, with: ""), isLasting: isLasting)
    }
    let draft = slot.library + mark
    defer { try? FileManager.default.removeItem(atPath: draft) }
    let entry = draft + ".swift"
    defer { try? FileManager.default.removeItem(atPath: entry) }
    do {
      try Self.entryPoint(of: Self.typeName(in: source)).write(
        toFile: entry,
        atomically: false,
        encoding: .utf8
      )
    } catch {
      return failed("\(error)", isLasting: false)
    }
    let compiler = Subprogram(toolchain.compiler, arguments(source, entry, draft))
    var compilation = try await compiler.run(within: Self.patience)
    // Short of memory, the kernel kills a compiler, which has more room the next time.
    if compilation.wasKilled { compilation = try await compiler.run(within: Self.patience) }
    // The compiler read the files after their text had determined the place.
    guard try self.slot(of: source).inputs == slot.inputs else { return nil }
    guard compilation.status == 0 else {
      let overdue =
        "The compiler did not finish within \(Self.patience.components.seconds) seconds.\n"
      return failed(
        (compilation.isOverdue ? overdue : "")
          + Self.inAuthorsWords(compilation.output, source, entry),
        isLasting: !compilation.wasKilled
      )
    }
    let loading = try await Subprogram(toolchain.worker, ["--describe", draft, toolchain.sandbox])
      .run(within: Self.descriptionPatience)
    guard let description: AgentDescription = loading.answer() else {
      return failed(Self.silence(of: loading), isLasting: !loading.wasKilled)
    }
    if let problem = AgentName.problem(with: description.name) {
      return failed(problem, isLasting: true)
    }
    try loading.lastLine.write(toFile: slot.descriptionFile, atomically: true, encoding: .utf8)
    try slot.inputs.write(toFile: slot.inputsFile, atomically: true, encoding: .utf8)
    guard Self.isOnDisk(draft), cache.place(draft, in: slot) else {
      return failed("\(slot.library): \(String(cString: strerror(errno)))", isLasting: false)
    }
    cache.remember(slot, of: source)
    return .compiled(library: slot.library, description)
  }

  /// Explains why a worker did not describe the agent of a plugin.
  private static func silence(of run: Subprogram.Outcome) -> String {
    let beginning = "The plugin compiles, but its own code"
    if run.status == 128 + SIGXFSZ {
      return "\(beginning) prints too much before it has described the agent. Print nothing in its"
        + " init(), and little in its body."
    }
    if run.isOverdue {
      return "\(beginning) did not describe the agent within"
        + " \(descriptionPatience.components.seconds) seconds. Its init() and its body must end,"
        + " and must not wait for anything.\n\(run.output)"
    }
    if run.status == 0 {
      return "\(beginning) ended the process before it had described the agent. Do not call exit()"
        + " in its init() or its body.\n\(run.output)"
    }
    return "The plugin compiles but cannot be loaded:\n"
      + (run.output.isEmpty ? run.reason : run.output)
  }

  /// Waits until a file is on disk.
  ///
  /// If it had its final name before, a power loss could leave it incomplete under that name.
  private static func isOnDisk(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
  }

  private static func description(at path: String) -> AgentDescription? {
    FileManager.default.contents(atPath: path)
      .flatMap { try? JSONDecoder().decode(AgentDescription.self, from: $0) }
  }

  private func arguments(_ source: AgentSource, _ entry: String, _ output: String) -> [String] {
    Self.flags + [
      "-emit-library", "-module-name", Self.typeName(in: source), "-I", toolchain.modules,
      "-load-plugin-executable", "\(toolchain.macros)#AgentKitMacros",
    ] + source.files + [
      entry, "-Xlinker", "--defsym=orchestrator_agentkit_\(toolchain.fingerprint)=1", "-o", output,
    ]
  }

  /// Returns the only generated code: how a worker finds the agent.
  ///
  /// A missing type, or one that is not an agent, is an ordinary compiler error.
  private static func entryPoint(of type: String) -> String {
    """
    @_spi(Plugin) import AgentKit

    @_cdecl("orchestrator_agent") public func orchestratorAgent() -> UnsafeMutableRawPointer {
      AgentType(\(type).self).handOver()
    }
    """
  }

  /// Rewords errors in the generated code so that they refer to the author's type.
  private static func inAuthorsWords(
    _ output: String,
    _ source: AgentSource,
    _ entry: String
  ) -> String {
    guard output.contains(entry + ":") else { return output }
    return """
      The file or folder \(source.name) must declare a type named '\(source.name)' that conforms to \
      'Agent'.
      \(output.replacingOccurrences(of: entry, with: "<entry point of \(source.name)>"))
      """
  }
}
