import AgentKit
import CSystemCalls
import PlatformLibraries
import Wire

/// What a worker gives up before it loads code it does not trust.
///
/// It proceeds in steps that only ever tighten, each before the code it is meant for: llama.cpp
/// reads the model in a process that reaches the model, the plugins, the cached prefixes and what
/// agents are allowed; an agent's code runs in a process that reaches only what is its own. A
/// template never runs an agent's code, so only our own code can fork.
struct Sandbox {
  /// What is about to be loaded.
  enum Part {
    case model
    case agent
  }

  private static let reading = Int32(csystem_access_read.rawValue)
  private static let writing = Int32(csystem_access_read.rawValue | csystem_access_write.rawValue)
  private static let lookingUp = Int32(csystem_access_look_up.rawValue)
  private static let running = Int32(csystem_access_run.rawValue)
  private static let exact = Int32(csystem_access_exact.rawValue)

  private let part: Part
  private let configuration: WorkerConfiguration
  private let projector: String?
  private let keepsPrefixes: Bool
  private let confinement: Confinement
  /// What this kernel cannot take away.
  private var missing: [String] = []

  /// Confines this process for good, as its configuration says.
  ///
  /// - Parameter keepsPrefixes: Whether it may write what it computes to the folder of prefixes.
  ///   What an agent's code can write there, a template reads, which can reach more.
  static func enter(
    before part: Part,
    _ configuration: WorkerConfiguration,
    projector: String? = nil,
    keepsPrefixes: Bool = true
  ) throws(Inability) {
    guard let confinement = configuration.confinement else { return }
    var sandbox = Sandbox(
      part: part,
      configuration: configuration,
      projector: projector,
      keepsPrefixes: keepsPrefixes,
      confinement: confinement
    )
    if part == .agent, let scratch = confinement.scratch { settle(in: scratch) }
    guard confinement.mode != .off else { return }
    try sandbox.confine()
    guard !sandbox.missing.isEmpty else { return }
    let words = sandbox.missing.joined(separator: "; ")
    guard confinement.mode == .default else {
      throw Inability(
        .sandbox,
        "This kernel cannot confine a worker (\(words)), but --sandbox required is set."
      )
    }
    Log.write("the sandbox is incomplete: \(words)")
  }

  /// Directs relative paths, temporary files and anything that looks for a home to the scratch
  /// folder.
  private static func settle(in scratch: String) {
    setenv("HOME", scratch, 1)
    setenv("TMPDIR", scratch, 1)
    _ = chdir(scratch)
  }

  private mutating func confine() throws(Inability) {
    // Otherwise an executed program could regain what is given up here.
    note("privileges", csystem_forbid_new_privileges())
    limitResources()
    try limitFiles()
    note("capabilities", csystem_drop_capabilities(part == .model ? 1 : 0))
    let problem = csystem_filter_calls(calls)
    note("no seccomp, so system calls are not limited", problem, isSentence: true)
  }

  private mutating func note(_ what: String, _ problem: Int32, isSentence: Bool = false) {
    guard problem != 0 else { return }
    let reason = String(cString: strerror(problem))
    missing.append(isSentence ? "\(what): \(reason)" : "\(what) cannot be dropped: \(reason)")
  }

  // MARK: Resources

  private mutating func limitResources() {
    let total = UInt64(sysconf(Int32(_SC_PHYS_PAGES))) * UInt64(sysconf(Int32(_SC_PAGESIZE)))
    // What the model's part occupies was there before; the bound is on what the agent adds.
    let memory =
      part == .model
      ? total
      : csystem_private_memory() + min(SandboxLimits.memory, total / 2)
        + OwnModels.memory(confinement.permissions, machine: total)
    note("memory", csystem_limit(csystem_limit_memory, memory))
    // The stack grows outside everything counted above, as far as this allows.
    note("stack", csystem_limit(csystem_limit_stack, SandboxLimits.stack))
    note("files", csystem_limit(csystem_limit_file, UInt64(Confinement.largestFile)))
    note("descriptors", csystem_limit(csystem_limit_descriptors, SandboxLimits.descriptors))
    // A dump would contain the whole model and the conversation.
    note("core dumps", csystem_limit(csystem_limit_core, 0))
    // Otherwise a person with real-time rights would pass them on to an agent.
    note("realtime", csystem_limit(csystem_limit_realtime, 0))
    csystem_report_memory_at_crash()
  }

  // MARK: Files

  private mutating func limitFiles() throws(Inability) {
    let version = csystem_landlock_version()
    guard version > 0 else {
      missing.append("no Landlock, so files are not limited")
      return
    }
    missing += confinement.holes(landlock: version)
    let list = csystem_landlock_begin(confinement.allowsNetwork ? 1 : 0)
    guard list >= 0 else {
      missing.append("no Landlock: \(String(cString: strerror(errno)))")
      return
    }
    var runtime = SandboxFiles.runtime
    if confinement.allowsNetwork { runtime += Confinement.networkFiles }
    for path in runtime { _ = csystem_landlock_allow(list, path, Self.reading) }
    // Foundation's Process lists its open descriptors. To learn of the ends of several programs it
    // also needs a network socket, and without one it had better not start the first.
    let listsProcesses = confinement.allowsPrograms && confinement.allowsNetwork
    let processes = listsProcesses ? Self.reading : Self.lookingUp
    _ = csystem_landlock_allow(list, SandboxFiles.processes, processes)
    if confinement.allowsPrograms {
      for path in SandboxFiles.loaders { _ = csystem_landlock_allow(list, path, Self.running) }
    }
    for path in SandboxFiles.devices { _ = csystem_landlock_allow(list, path, Self.writing) }
    do throws(Inability) {
      for (path, access) in own { try allow(path, access, list) }
      for (path, access) in allowed { try allow(path, access, list, isPermission: true) }
    } catch {
      close(list)
      throw error
    }
    note("files", csystem_landlock_enforce(list))
  }

  /// What belongs to this worker.
  private var own: [(path: String, access: Int32)] {
    var own: [(String, Int32)] = []
    if part == .model, let model = configuration.model {
      own += ModelParts.of(model).map { ($0, Self.reading) }
      if let projector { own.append((projector, Self.reading)) }
    }
    // A model's template is forked into templates of any agent.
    if let plugins = confinement.plugins, configuration.plugin == nil {
      own.append((plugins, Self.reading))
    }
    if let snapshots {
      mkdir(snapshots, 0o700)
      own.append((snapshots, keepsPrefixes ? Self.writing : Self.reading))
    }
    if let plugin = configuration.plugin { own.append((plugin, Self.reading)) }
    if let scratch = confinement.scratch { own.append((scratch, Self.writing)) }
    return own
  }

  private var snapshots: String? { configuration.snapshots ?? confinement.snapshots }

  /// What a person has allowed this worker, or any fork of this template.
  private var allowed: [(path: String, access: Int32)] {
    var allowed: [(String, Int32)] = []
    for permission in confinement.permissions {
      switch permission {
      case .network: break
      case .reading(let path):
        // A model consists of all its parts. Missing ones are reported by the code that loads it.
        let parts = ModelParts.of(path).filter { $0 == path || access($0, F_OK) == 0 }
        allowed += parts.map { ($0, Self.reading) }
      case .writing(let path): allowed.append((path, Self.writing))
      case .running(let path): allowed.append((path, Self.running))
      }
    }
    return allowed
  }

  private func allow(
    _ path: String,
    _ access: Int32,
    _ list: Int32,
    isPermission: Bool = false
  ) throws(Inability) {
    // Another agent may write where the path is, and have put a link there.
    let place = isPermission ? confinement.places.map { $0[path] ?? path } : nil
    let kind = place == nil ? access : access | Self.exact
    let problem = csystem_landlock_allow(list, place ?? path, kind)
    // A missing model or plugin is reported by the code that loads it. Prefixes only save time, and
    // a fork may not make their folder again where it was removed.
    let isOptional = [configuration.model, configuration.plugin, projector, snapshots].contains(
      path
    )
    guard problem != 0, !isOptional else { return }
    let reason =
      problem == ELOOP && place != nil
      ? "it leads through a link that was not there before" : String(cString: strerror(problem))
    // What one agent is allowed and cannot be opened, be it missing or on a server that is gone, is
    // reported by that agent's workers; a template also serves the others.
    if isPermission, configuration.role == .template {
      return Log.write("\(path) cannot be reached by any fork of this template: \(reason)")
    }
    throw Inability(.sandbox, "\(path) cannot be made available to the worker: \(reason).")
  }

  // MARK: System calls

  private var calls: Int32 {
    var calls: UInt32 = part == .model ? csystem_calls_fork.rawValue : 0
    if confinement.allowsNetwork { calls |= csystem_calls_network.rawValue }
    if confinement.allowsPrograms { calls |= csystem_calls_programs.rawValue }
    return Int32(calls)
  }
}

/// How much of the machine the code of one agent gets.
enum SandboxLimits {
  /// The bytes of memory in addition to the model's, never more than half of the machine's.
  static let memory: UInt64 = 2 << 30
  /// The bytes of the main thread's stack, and of the initial stack of any program.
  static let stack: UInt64 = 8 << 20
  static let descriptors: UInt64 = 256
}
