import Foundation
import PlatformLibraries

/// What agents are compiled with: a compiler, AgentKit's modules, its macros, and the worker that
/// will load them.
package struct AgentToolchain: Sendable {
  package let compiler: String
  package let modules: String
  package let macros: String
  package let worker: String
  /// The fingerprint of the worker's build; plugins for another build are never chosen.
  package let fingerprint: String
  /// The files as they were found, the worker first; another build may take their place.
  private let versions: [FileVersion?]
  /// Whether the code of agents may describe them only where the kernel can confine it completely.
  package var requiresSandbox = false
  /// The same, as the worker is told.
  var sandbox: String { requiresSandbox ? "required" : "default" }

  package init(beside executable: String, environment: [String: String]) async throws {
    let folder = (executable as NSString).deletingLastPathComponent
    modules = folder + "/Modules"
    macros = folder + "/AgentKitMacros-tool"
    worker = folder + "/orchestrator-worker"
    let parts = [worker] + Self.compiledAgainst(macros, modules)
    for path in parts where !FileManager.default.fileExists(atPath: path) {
      throw PluginError.incompleteKit(missing: path)
    }
    compiler = try Self.findCompiler(environment)
    // Before the fingerprint, so that what is replaced in the meantime counts as replaced.
    versions = parts.map { FileVersion($0) }
    let run = try await Subprogram(worker, ["--fingerprint"]).run(within: .seconds(10))
    guard run.status == 0 else {
      throw PluginError.workerUnusable(path: worker, output: run.reason)
    }
    fingerprint = run.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func findCompiler(
    _ environment: [String: String]
  ) throws(PluginError) -> String {
    // An empty variable is how an environment says that there is none.
    if let path = environment["ORCHESTRATOR_SWIFTC"], !path.isEmpty {
      guard FileManager.default.isExecutableFile(atPath: path) else {
        throw .noCompiler(searched: path)
      }
      return path
    }
    guard let found = findProgram("swiftc", in: environment["PATH"] ?? "") else {
      throw .noCompiler(searched: "PATH")
    }
    return found
  }

  /// Returns the first line of the compiler's version output.
  package func compilerVersion() async throws -> String {
    let run = try await Subprogram(compiler, ["--version"]).run(within: .seconds(30))
    guard run.status == 0 else {
      throw PluginError.compilerUnusable(path: compiler, output: run.reason)
    }
    let line = run.output.split(separator: "\n").first { $0.contains("version") }
    return line.map(String.init) ?? run.output
  }

  /// Returns what the worker reports about itself, a model and the projector through which it sees.
  /// - Throws: The worker's own words about a file that cannot be used.
  package func facts(
    model: String? = nil,
    projector: String? = nil
  ) async throws -> [String: String] {
    let arguments = ["--facts"] + [model, projector].compactMap(\.self)
    // With a projector, the whole model is loaded.
    let patience = Duration.seconds(projector == nil ? 60 : 300)
    let run = try await Subprogram(worker, arguments).run(within: patience)
    guard let facts: [String: String] = run.answer() else {
      guard let model else { throw PluginError.workerUnusable(path: worker, output: run.reason) }
      throw projector.map { PluginError.projectorUnusable(path: $0, output: run.reason) }
        ?? .modelUnusable(path: model, output: run.reason)
    }
    return facts
  }

  /// The folder of everything but the compiler.
  package var folder: String { (worker as NSString).deletingLastPathComponent }

  /// Whether another build has taken the place of the worker.
  package var isWorkerReplaced: Bool { FileVersion(worker) != versions[0] }

  /// Whether another build has taken the place of what was found, or of a part of it.
  ///
  /// What is compiled against one build must not be loaded by another.
  var isReplaced: Bool { ([worker] + compiledAgainst).map { FileVersion($0) } != versions }

  /// What determines a plugin besides its sources and the compiler.
  var compiledAgainst: [String] { Self.compiledAgainst(macros, modules) }

  private static func compiledAgainst(_ macros: String, _ modules: String) -> [String] {
    [macros] + importable.map { "\(modules)/\($0).swiftmodule" }
  }

  /// The modules for agents: AgentKit, what its interface consists of, and the names by which code
  /// for Apple's platforms imports it.
  static var importable: [String] {
    #if os(Linux)
      [
        "AgentKit", "FoundationModels", "FoundationModelsUtilities", "PlatformLibraries",
        "Transcripts",
      ]
    #else
      ["AgentKit", "PlatformLibraries", "Transcripts"]
    #endif
  }

  /// Identifies the compiler; asking it for its version would take longer than everything else.
  var compilerIdentity: String { "\(Self.target(of: compiler)) \(Self.version(of: compiler))" }

  /// Distinguishes versions of a file; reading it all before every turn would take too long.
  static func version(of file: String) -> String {
    let attributes = try? FileManager.default.attributesOfItem(atPath: target(of: file))
    let size = attributes?[.size] as? Int ?? 0
    let date = attributes?[.modificationDate] as? Date ?? .distantPast
    return "\(size) \(date.timeIntervalSince1970)"
  }

  private static func target(of file: String) -> String {
    URL(filePath: file).resolvingSymlinksInPath().path
  }
}
