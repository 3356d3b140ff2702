import CSystemCalls
import PlatformLibraries
import Supervision
import Wire

extension OutpostMachine {
  /// The variables by which engines name what they run.
  private static let engineVariables = [
    "SLURM_JOB_ID", "SLURM_STEP_ID", "SLURMD_NODENAME", "HOSTNAME", "KUBERNETES_SERVICE_HOST",
  ]

  /// Describes the machine that this process runs on.
  static func here(libllama: String) -> OutpostMachine {
    let environment = ProcessInfo.processInfo.environment
    let engine = environment.filter { engineVariables.contains($0.key) && $0.value.count <= 256 }
    var names = utsname()
    uname(&names)
    return OutpostMachine(
      version: WireLimits.version,
      fingerprint: ownFingerprint,
      libllama: libllama,
      architecture: text(names.machine),
      features: processorFeatures(),
      cores: Machine.cores(),
      memory: MachineMemory().reading?.total ?? 0,
      system: "\(text(names.sysname)) \(text(names.release))",
      pid: getpid(),
      landlock: Int(csystem_landlock_version()),
      engine: engine
    )
  }

  private static var ownFingerprint: String {
    var buffer = [CChar](repeating: 0, count: 128)
    let length = csystem_build_id(&buffer, buffer.count)
    return String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Reads a text of a fixed length.
  private static func text(_ tuple: some Any) -> String {
    let bytes = Mirror(reflecting: tuple).children.compactMap { $0.value as? CChar }
    return String(
      decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)),
      as: UTF8.self
    )
  }

  /// Returns those features of the processor that a model's kernels may be compiled for.
  private static func processorFeatures() -> [String] {
    let facts = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    guard
      let line = facts.split(separator: "\n").first(where: {
        $0.hasPrefix("flags") || $0.hasPrefix("Features")
      })
    else { return [] }
    let own = Set(line.split(separator: " ").map(String.init))
    return Compatibility.features.filter { own.contains($0.flag) }.map(\.flag)
  }
}
