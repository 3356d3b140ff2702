import AgentKit
import CSystem
import Foundation
import Supervision
import Wire

// What the kernel gives.

extension Doctor {
  /// What a worker may not reach here, and what it may all the same.
  func sandbox() -> [Diagnosis] {
    guard mode != .off else {
      return [
        .warning(
          "sandbox",
          "off: agents reach all that you reach",
          remedy: "leave --sandbox off away"
        )
      ]
    }
    let isRequired = mode == .required
    let holes = SandboxPolicy(templates: Confinement(mode: mode)).holes.map { hole in
      let remedy =
        "run a Linux kernel of 6.2 or newer, of 6.12 where agents may run programs, that was built with"
        + " Landlock and seccomp"
      return isRequired
        ? Diagnosis.failure("sandbox", hole, remedy: remedy)
        : Diagnosis.warning("sandbox", hole, remedy: remedy)
    }
    guard holes.isEmpty else { return holes }
    let version = csystem_landlock_version()
    let words =
      "files by Landlock \(version), system calls by seccomp, privileges by no_new_privs"
      + (version < 6 ? "; Landlock 6 would also keep signals of programs" : "")
    return [.ok("sandbox", words)]
  }

  /// What starts workers, and whether there is something stricter.
  func launcher() -> Diagnosis {
    let adds = "keeps other processes, names of files and the network out of a worker's sight"
    let isWanted = options.launcher == .bubblewrap
    if isWanted, mode == .off {
      return .failure(
        "launcher",
        "\(CommandError.bubblewrapWithoutSandbox)",
        remedy: "leave --sandbox off away"
      )
    }
    guard let found = Bubblewrap(in: environment["PATH"] ?? "") else {
      return isWanted
        ? .failure(
          "launcher",
          "there is no bwrap in PATH",
          remedy: "install bubblewrap, or leave --launcher away"
        ) : .ok("launcher", "local; bubblewrap \(adds), and is not installed")
    }
    if let problem = found.problem() {
      return isWanted
        ? .failure(
          "launcher",
          "\(found.program) starts nothing: \(problem)",
          remedy: "allow user namespaces, or leave --launcher away"
        ) : .ok("launcher", "local; \(found.program) starts nothing here: \(problem)")
    }
    return isWanted
      ? .ok("launcher", "\(found.program), without templates: workers start slower")
      : .ok("launcher", "local; --launcher bubblewrap \(adds)")
  }

  /// What this process, and whatever it starts, may have of the system.
  func limits() -> [Diagnosis] {
    var diagnoses: [Diagnosis] = []
    // As a coordinator does.
    csystem_raise_descriptors()
    let files = Self.limit(of: RLIMIT_NOFILE)
    if files < 512 {
      // A worker takes five descriptors of the coordinator, and a client one.
      diagnoses.append(
        .warning("limits", "\(files) open files", remedy: "ulimit -n 4096: every worker takes five")
      )
    }
    let size = Self.limit(of: RLIMIT_FSIZE)
    if size < 1 << 30 {
      diagnoses.append(
        .warning(
          "limits",
          "files end at \(size / 1000) kB, and so does the journal",
          remedy: "ulimit -f unlimited"
        )
      )
    }
    return diagnoses.isEmpty ? [.ok("limits", "\(files) open files")] : diagnoses
  }

  #if os(Linux)
    private static func limit(of resource: __rlimit_resource) -> UInt64 {
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(resource.rawValue), &limit)
      return UInt64(limit.rlim_cur)
    }
  #else
    private static func limit(of resource: Int32) -> UInt64 {
      var limit = rlimit()
      getrlimit(resource, &limit)
      return UInt64(limit.rlim_cur)
    }
  #endif

  func memory() -> Diagnosis {
    let cores = Machine.cores()
    let total = ProcessInfo.processInfo.physicalMemory
    let words = "\(total / 1_000_000) MB, \(cores.counted("core"))"
    guard let path = try? ModelFile.path(named: options.model, environment),
      let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64
    else { return .ok("memory", words) }
    // The weights, which may be there twice when they are repacked.
    guard size < total / 2 else {
      return .warning(
        "memory",
        "\(words), and the model has \(size / 1_000_000) MB",
        remedy: "choose a smaller model or quantisation"
      )
    }
    return .ok("memory", words)
  }
}
