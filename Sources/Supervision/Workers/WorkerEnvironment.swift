import Wire

/// The environment of a worker: only the variables on this list.
package enum WorkerEnvironment {
  private static let inherited =
    [
      "PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH",
      // The server for models that name none; only agents that may use the network keep its key,
      // the secrets in its address, and the proxies to it.
      "ORCHESTRATOR_CHAT_URL", "ORCHESTRATOR_CHAT_KEY", "ORCHESTRATOR_CHAT_MODEL",
    ] + Confinement.proxyVariables

  package static func variables(of own: [String: String]) -> [String: String] {
    var variables = own.filter { inherited.contains($0.key) }
    // An abort must end a worker at once rather than start a debugger.
    variables["GGML_NO_BACKTRACE"] = "1"
    // The Swift runtime of each new process would look for the program that prints traces if none
    // were named, even where they are off.
    variables["SWIFT_BACKTRACE"] = "enable=no,swift-backtrace=/dev/null"
    // Huge pages for large allocations from the start: forks find them in place and have fewer to
    // copy.
    variables["GLIBC_TUNABLES"] = "glibc.malloc.hugetlb=1"
    return variables
  }
}
