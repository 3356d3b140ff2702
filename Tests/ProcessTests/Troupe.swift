import AgentKit
import Foundation
import Plugins

/// The agents of these tests, compiled like a person's agents.
struct Troupe: Sendable {
  let worker: String
  /// Identifies the worker's build.
  let fingerprint: String
  private let plugins: [String: PluginStore.Plugin]

  /// Compiled once for all tests beside the build products, where the next run finds them.
  static func shared() async throws -> Troupe { try await compiled.value }

  private static let compiled = Task { try await Troupe() }

  private init() async throws {
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let folder = products.appending(path: "process-tests/\(getpid())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (type, source) in Script.sources {
      let file = folder.appending(path: "\(type).swift")
      try source.write(to: file, atomically: true, encoding: .utf8)
    }
    let kit = try await AgentToolchain(
      beside: products.appending(path: "orchestrator").path,
      environment: ProcessInfo.processInfo.environment
    )
    (worker, fingerprint) = (kit.worker, kit.fingerprint)
    let cache = products.appending(path: "process-tests/plugins").path
    let store = PluginStore(folder: folder.path, toolchain: kit, cache: cache)
    plugins = Dictionary(
      uniqueKeysWithValues: try await store.refresh().map { ($0.description.name, $0) }
    )
    for (name, words) in await store.currentFailures { throw DoesNotCompile(name, words) }
  }

  func plugin(_ agent: String) -> String { plugins[agent]?.library ?? "" }

  func declaration(of agent: String) -> AgentDescription? { plugins[agent]?.description }

  struct DoesNotCompile: Error {
    let agent: String
    let words: String

    init(_ agent: String, _ words: String) {
      self.agent = agent
      self.words = words
    }
  }
}
