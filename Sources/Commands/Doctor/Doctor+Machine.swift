import CSystemCalls
import Coordinator
import Doors
import Foundation
import Supervision
import Terminal
import Transcripts
import Wire

// What the kernel provides.

extension Doctor {
  /// Examines what a worker can and cannot reach here.
  func sandbox() -> [Diagnosis] {
    guard mode != .off else {
      return [
        .warning(
          "sandbox",
          "off: agents can access everything that you can",
          remedy: "omit --sandbox off"
        )
      ]
    }
    let isRequired = mode == .required
    let holes = holes.map { hole in
      let remedy =
        "run Linux 6.2 or newer (6.12 if agents may run programs), built with Landlock and seccomp"
      return isRequired
        ? Diagnosis.failure("sandbox", hole, remedy: remedy)
        : Diagnosis.warning("sandbox", hole, remedy: remedy)
    }
    guard holes.isEmpty else { return holes }
    let version = csystem_landlock_version()
    let words =
      "files by Landlock \(version), system calls by seccomp, privileges by no_new_privs"
      + (version < 6 ? "; Landlock 6 would also confine signals from programs" : "")
    return [.ok("sandbox", words)]
  }

  /// Examines the launcher of workers, and whether a stricter one is available.
  func launcher() -> Diagnosis {
    let adds = "hides other processes, file names and the network from workers"
    let isWanted = options.launcher == .bubblewrap
    if isWanted, mode == .off {
      return .failure(
        "launcher",
        "\(CommandError.bubblewrapWithoutSandbox)",
        remedy: "omit --sandbox off"
      )
    }
    guard let found = Bubblewrap(in: environment["PATH"] ?? "") else {
      return isWanted
        ? .failure(
          "launcher",
          "bwrap is not in PATH",
          remedy: "install bubblewrap, or omit --launcher"
        ) : .ok("launcher", "local; bubblewrap \(adds), but is not installed")
    }
    if let problem = found.problem() {
      return isWanted
        ? .failure(
          "launcher",
          "\(found.program) cannot start programs: \(problem)",
          remedy: "allow user namespaces, or omit --launcher"
        ) : .ok("launcher", "local; \(found.program) cannot start programs here: \(problem)")
    }
    return isWanted
      ? .ok("launcher", "\(found.program), without templates: workers start more slowly")
      : .ok("launcher", "local; --launcher bubblewrap \(adds)")
  }

  /// Examines the resource limits of this process and its children.
  func limits() -> [Diagnosis] {
    var diagnoses: [Diagnosis] = []
    // A coordinator does the same.
    csystem_raise_descriptors()
    let files = Self.limit(of: RLIMIT_NOFILE)
    if files < 512 {
      // A worker takes five of the coordinator's descriptors, and a client one.
      diagnoses.append(
        .warning(
          "limits",
          "\(files) open files",
          remedy: "run 'ulimit -n 4096': every worker needs five"
        )
      )
    }
    let size = Self.limit(of: RLIMIT_FSIZE)
    if size < 1 << 30 {
      diagnoses.append(
        .warning(
          "limits",
          "files are limited to \(size / 1000) kB, and so is the journal",
          remedy: "run 'ulimit -f unlimited'"
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
    // Repacking may hold the weights in memory twice.
    guard size < total / 2 else {
      return .warning(
        "memory",
        "\(words), but the model takes \(size / 1_000_000) MB",
        remedy: "choose a smaller model or quantization"
      )
    }
    return .ok("memory", words)
  }
}
