import Foundation
import Synchronization

@testable import Plugins

/// A folder of agents and a cache for them, with the real compiler and this build's worker.
final class Workshop: Sendable {
  let folder: URL

  var agents: String { folder.appending(path: "Agents").path }
  var cache: String { folder.appending(path: "cache").path }

  init() throws {
    let name = "workshop-\(UUID().uuidString)"
    folder = FileManager.default.temporaryDirectory.appending(path: name)
    try FileManager.default.createDirectory(atPath: agents, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The folder that this test was built into.
  static var products: String {
    let arguments = CommandLine.arguments
    let flag = arguments.firstIndex(of: "--test-bundle-path")
    let bundle = flag.map { arguments[$0 + 1] } ?? arguments[0]
    var folder = URL(filePath: bundle).standardizedFileURL
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let worker = folder.appending(path: "orchestrator-worker").path
      if FileManager.default.isExecutableFile(atPath: worker) { break }
    }
    return folder.path
  }

  static func toolchain() async throws -> AgentToolchain {
    try await AgentToolchain(
      beside: products + "/orchestrator",
      environment: ProcessInfo.processInfo.environment
    )
  }

  /// A toolchain whose compiler is a script that can call the real one as `$swiftc`.
  func toolchain(compilingBy script: String) async throws -> AgentToolchain {
    let real = try await Self.toolchain().compiler
    let path = folder.appending(path: "swiftc").path
    try "#!/bin/sh\nswiftc='\(real)'\n\(script)\n"
      .write(toFile: path, atomically: true, encoding: .utf8)
    chmod(path, 0o755)
    var environment = ProcessInfo.processInfo.environment
    environment["ORCHESTRATOR_SWIFTC"] = path
    return try await AgentToolchain(
      beside: Self.products + "/orchestrator",
      environment: environment
    )
  }

  func store(_ toolchain: AgentToolchain? = nil, recallsFailures: Bool = true) async throws
    -> PluginStore
  {
    let given: AgentToolchain
    if let toolchain { given = toolchain } else { given = try await Self.toolchain() }
    return PluginStore(
      folder: agents,
      toolchain: given,
      cache: cache,
      recallsFailures: recallsFailures
    )
  }

  /// How the real worker describes a plugin.
  static let greeter =
    #"{"name":"greeter","description":"","instructions":"","tools":[],"batons":[],"#
    + #""servers":[],"friends":[],"mode":"allowed","hasExit":false,"takesClientTools":false,"#
    + #""permissions":[]}"#

  /// Writes a toolchain of scripts that compile everything and call each agent a greeter, and a cache.
  ///
  /// All users can read them, unlike what was built here.
  ///
  /// - Parameter script: What the compiler does before it compiles.
  func writeStandIns(compilingAfter script: String = "") throws {
    for module in AgentToolchain.importable { try write("../Modules/\(module).swiftmodule", "") }
    try write("../AgentKitMacros-tool", "")
    try write("../orchestrator-worker", "#!/bin/sh\necho '\(Self.greeter)'\n")
    // The last argument names the plugin.
    try write("../swiftc", "#!/bin/sh\n\(script)\nfor plugin do :; done\n: >\"$plugin\"\n")
    for program in ["orchestrator-worker", "swiftc"] {
      chmod(folder.appending(path: program).path, 0o755)
    }
    try FileManager.default.createDirectory(atPath: cache, withIntermediateDirectories: true)
    chmod(cache, 0o777)
  }

  func standInToolchain() async throws -> AgentToolchain {
    try await AgentToolchain(
      beside: "\(folder.path)/orchestrator",
      environment: ["ORCHESTRATOR_SWIFTC": "\(folder.path)/swiftc"]
    )
  }

  /// Writes a file into the folder of agents.
  func write(_ file: String, _ text: String) throws {
    let url = URL(filePath: agents).appending(path: file)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try text.write(to: url, atomically: true, encoding: .utf8)
  }

  /// Makes a link in the folder of agents.
  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: "\(agents)/\(name)",
      withDestinationPath: target
    )
  }

  func remove(_ file: String) throws {
    try FileManager.default.removeItem(atPath: "\(agents)/\(file)")
  }

  /// The source of an agent that compiles.
  static func source(_ type: String, _ description: String = "is there", _ more: String = "")
    -> String
  {
    """
    import AgentKit

    struct \(type): Agent {
      let name = "\(type.lowercased())"
      let description = "\(description)"

      var body: some DynamicProfile {
        Profile {
          Instructions("You are there.")
          \(more)
        }
      }
    }

    """
  }
}

/// Collects the reports of preparing agents.
final class Told: Sendable {
  private let reports = Mutex<[PluginStore.Report]>([])

  func note(_ report: PluginStore.Report) { reports.withLock { $0.append(report) } }

  /// Returns the reports since the last call.
  func take() -> [PluginStore.Report] {
    reports.withLock { reports in
      defer { reports = [] }
      return reports
    }
  }
}

extension PluginStore.Report {
  /// The output of a failure.
  var output: String? {
    if case .failed(_, let output, _) = self { output } else { nil }
  }
}
