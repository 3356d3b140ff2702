import Wire

/// Whether what runs here can run on another machine.
enum Compatibility {
  /// The features of processors for which libllama's kernels are compiled: as libllama names them,
  /// and as the kernel does.
  static let features: [(name: String, flag: String)] = [
    ("SSE3", "pni"), ("SSSE3", "ssse3"), ("AVX", "avx"), ("AVX2", "avx2"), ("F16C", "f16c"),
    ("FMA", "fma"), ("BMI2", "bmi2"), ("AVX512", "avx512f"), ("AVX512_VBMI", "avx512vbmi"),
    ("AVX512_VNNI", "avx512_vnni"), ("AVX512_BF16", "avx512_bf16"), ("AVX_VNNI", "avx_vnni"),
    ("AMX_INT8", "amx_int8"), ("DOTPROD", "asimddp"), ("MATMUL_INT8", "i8mm"), ("SVE", "sve"),
  ]

  /// Returns why a machine cannot run what is sent from here; `nil` when it can.
  static func problem(
    with machine: OutpostMachine,
    on host: String,
    fingerprint: String
  ) -> OutpostError? {
    guard machine.version == WireLimits.version else {
      return .otherVersion(host: host, found: machine.version, expected: WireLimits.version)
    }
    guard machine.fingerprint == fingerprint else {
      return .otherBuild(host: host, found: machine.fingerprint, expected: fingerprint)
    }
    let missing = missingFeatures(of: machine)
    guard missing.isEmpty else {
      return .incompatible(
        host: host,
        problem: "its processor lacks \(missing.joined(separator: ", ")), for which the worker's"
          + " libllama was compiled"
      )
    }
    return nil
  }

  /// Returns the features that its libllama uses and its processor lacks.
  private static func missingFeatures(of machine: OutpostMachine) -> [String] {
    // "AVX = 1 | AVX2 = 1"
    var used: Set<String> = []
    for part in machine.libllama.split(whereSeparator: { $0 == "|" || $0 == ":" }) {
      let words = part.split(separator: " ")
      if words.count == 3, words[1] == "=", words[2] == "1" { used.insert(String(words[0])) }
    }
    return features.filter { used.contains($0.name) && !machine.features.contains($0.flag) }
      .map(\.name)
  }
}
