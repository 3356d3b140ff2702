import Coordinator
import Doors
import Foundation
import Plugins
import Terminal
import Transcripts
import Wire

/// Examines everything that a coordinator needs, continuing past failures.
struct Doctor: Sendable {
  let options: CoordinatorOptions
  let doorOptions: DoorOptions
  let environment: [String: String]

  init(_ options: CoordinatorOptions, _ door: DoorOptions, _ environment: [String: String]) {
    self.options = options
    doorOptions = door
    self.environment = environment
  }

  var mode: Confinement.Mode { options.sandbox ?? .default }
  /// What the kernel lacks to confine agents that are allowed nothing.
  var holes: [String] { SandboxCheck.holes(in: Confinement(mode: mode)) }

  func examine() async -> [Diagnosis] {
    var diagnoses: [Diagnosis] = []
    let kit: AgentToolchain?
    do {
      let found = try await AgentToolchain(beside: Executable.path, environment: environment)
      kit = found
      diagnoses.append(await toolchain(found))
      diagnoses.append(await library(found))
    } catch {
      kit = nil
      diagnoses.append(
        .failure(
          "toolchain",
          "\(error)",
          remedy: "add a Swift toolchain to PATH, then build or install orchestrator again"
        )
      )
    }
    let model = await model(kit)
    diagnoses.append(model)
    diagnoses += telemetry()
    // Without a usable model, a projector cannot be tried.
    diagnoses += await given(model.verdict == .failure ? nil : kit)
    let folders: Folders
    do {
      folders = try Folders(environment: environment)
    } catch {
      diagnoses.append(
        .failure("state", "\(error)", remedy: "set ORCHESTRATOR_HOME to a folder that you own")
      )
      return diagnoses + sandbox() + [launcher()] + limits() + [memory()]
    }
    let kept = await state(folders)
    if let kit { diagnoses += await agents(kit, folders, kept) }
    diagnoses += servers(folders)
    diagnoses += await hosts(kit, folders).diagnoses()
    diagnoses += sandbox() + [launcher()] + limits() + [memory()]
    diagnoses += kept
    diagnoses += await sockets(folders)
    diagnoses += await door(folders)
    diagnoses.append(clients)
    return diagnoses
  }

  private func hosts(_ kit: AgentToolchain?, _ folders: Folders) -> HostExamination {
    HostExamination(
      options: options,
      mode: mode,
      environment: environment,
      kit: kit,
      folders: folders
    )
  }

  // MARK: What agents are compiled and run with

  private func toolchain(_ kit: AgentToolchain) async -> Diagnosis {
    do {
      let version = try await kit.compilerVersion()
      return .ok("toolchain", "\(version) (\(kit.compiler))")
    } catch {
      return .failure(
        "toolchain",
        "\(error)",
        remedy: "install the Swift toolchain that built orchestrator, or set ORCHESTRATOR_SWIFTC"
      )
    }
  }

  private func library(_ kit: AgentToolchain) async -> Diagnosis {
    do {
      let facts = try await kit.facts()
      return .ok("libllama", facts["libllama"] ?? "no version information")
    } catch {
      return .failure("libllama", "\(error)", remedy: "rebuild it with deploy/build")
    }
  }

  private func model(_ kit: AgentToolchain?) async -> Diagnosis {
    let path: String
    do {
      path = try ModelFile.path(named: options.model, environment)
    } catch {
      return .failure("model", "\(error)", remedy: "name a GGUF file with --model")
    }
    guard let kit else {
      return .warning("model", "\(path) was not checked", remedy: "fix the problems above first")
    }
    do {
      let facts = try await kit.facts(model: path)
      let about = facts["model"] ?? path
      if facts["tools"] == "true" { return .ok("model", "\(about) (\(path))") }
      return .ok(
        "model",
        "\(about) (\(path)); its chat template supports no tools, so instructions describe them"
      )
    } catch {
      return .failure("model", "\(error)", remedy: "name another GGUF file with --model")
    }
  }

  // MARK: Agents

  /// Examines the agents.
  /// - Parameter kept: The diagnosis of the folder in which they are compiled.
  private func agents(
    _ kit: AgentToolchain,
    _ folders: Folders,
    _ kept: [Diagnosis]
  ) async -> [Diagnosis] {
    let folder = AgentFolder.path(named: options.agents)
    guard !kept.contains(where: { $0.subject == "state" && $0.verdict == .failure }) else {
      let remedy = "fix the state folder first"
      return [.warning("agents", "the agents in \(folder) were not compiled", remedy: remedy)]
    }
    // Compiled, they describe themselves.
    guard mode != .required || holes.isEmpty else {
      let remedy = "fix the sandbox first"
      return [.warning("agents", "the agents in \(folder) were not compiled", remedy: remedy)]
    }
    var kit = kit
    kit.requiresSandbox = mode == .required
    do {
      try folders.makeState()
      let store = PluginStore(folder: folder, toolchain: kit, cache: folders.plugins)
      let plugins = try await store.refresh()
      var diagnoses = await store.currentFailures.sorted { $0.key < $1.key }.map { name, _ in
        Diagnosis.failure(
          "agents",
          "\(name) cannot be used",
          remedy: "run 'orchestrator agents check'"
        )
      }
      for finding in Validation.findings(in: plugins) {
        let remedy = "see 'orchestrator agents check'"
        diagnoses.append(
          finding.severity == .error
            ? .failure("agents", finding.description, remedy: remedy)
            : .warning("agents", finding.description, remedy: remedy)
        )
      }
      diagnoses += permissions(of: plugins, areAll: await store.currentFailures.isEmpty)
      guard !plugins.isEmpty else {
        let remedy = "run 'orchestrator agents new NAME'"
        return diagnoses + [.failure("agents", "no agent in \(folder) can be run", remedy: remedy)]
      }
      let names = plugins.map(\.description.name).sorted()
      let words = names.joined(separator: ", ")
      diagnoses.append(.ok("agents", "\(plugins.count) in \(folder): \(words)"))
      return diagnoses + beginner(among: names)
    } catch {
      return [
        .failure("agents", "\(error)", remedy: "name the agents folder with --agents")
      ]
    }
  }

  /// Examines permissions that agents declare and that were not granted.
  /// - Parameter areAll: Whether these are all agents, with none that is currently unusable.
  private func permissions(of plugins: [PluginStore.Plugin], areAll: Bool) -> [Diagnosis] {
    // What a faulty --allow was meant to allow is unknown, and it is reported separately.
    guard mode != .off, let grants = try? options.grants(environment) else { return [] }
    let names = plugins.map(\.description.name)
    var diagnoses = grants.strangers(among: names).map { name in
      Diagnosis.warning(
        "allow",
        "--allow names '\(name)', but there is no such agent"
          + (areAll ? "" : " among those that can be used now"),
        remedy: areAll ? "name an existing agent" : "run 'orchestrator agents check'"
      )
    }
    for plugin in plugins {
      do throws(PermissionGrants.Missing) {
        _ = try grants.permissions(of: plugin.description)
      } catch {
        diagnoses.append(
          .warning("agents", "\(error)", remedy: "grant it with --allow, or do without the agent")
        )
      }
    }
    return diagnoses
  }
}
