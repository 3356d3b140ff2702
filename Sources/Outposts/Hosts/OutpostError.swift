/// Why a worker was not launched on a host.
package enum OutpostError: Error, Sendable, Equatable {
  /// The launcher could not be started.
  case notLaunched(host: String, problem: String)
  /// The launcher ended, or said nothing for long, before an outpost greeted.
  case notGreeted(host: String, lastLines: [String])
  /// The command that has an engine give out the machines of a group ended, or named nothing.
  case notAllocated(host: String, lastLines: [String])
  /// It has as many workers as it may have.
  case full(host: String, workers: Int)
  /// The engine did not give out a machine within the limit.
  case queuedTooLong(host: String, reason: String, seconds: Int)
  /// The outpost speaks another version of the protocol.
  case otherVersion(host: String, found: Int, expected: Int)
  /// The worker's program there is of another build.
  case otherBuild(host: String, found: String, expected: String)
  /// A library or a processor there would make models answer otherwise, or not at all.
  case incompatible(host: String, problem: String)
  /// A model is not on the host, and may not be sent.
  case noModel(host: String, path: String)
  /// A file could not be sent.
  case notStaged(host: String, path: String, problem: String)
  /// The outpost could not start the worker.
  case refused(host: String, problem: String)
  /// The host gets no further worker now.
  case unavailable(host: String, HostState)
  /// The outpost broke the protocol and was given up.
  case breach(host: String, problem: String)
  /// The host was lost meanwhile.
  case lost(host: String)
}

extension OutpostError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notLaunched(let host, let problem):
      "The launcher of the host '\(host)' cannot be started: \(problem)."
    case .notGreeted(let host, let lines):
      "The host '\(host)' did not answer"
        + (lines.last.map { "; its launcher's last line: \($0)" } ?? ".")
    case .notAllocated(let host, let lines):
      "The machines of '\(host)' were not given out"
        + (lines.last.map { "; its allocation's last line: \($0)" }
          ?? ": its allocation has written no single word.")
    case .full(let host, let workers):
      "The host '\(host)' has \(workers) workers, as many as it may have."
    case .queuedTooLong(let host, let reason, let seconds):
      "The host '\(host)' was not given out within \(seconds) s: \(reason)."
    case .otherVersion(let host, let found, let expected):
      "The outpost on '\(host)' speaks version \(found) of the protocol, and this orchestrator"
        + " \(expected). Install the same release on both."
    case .otherBuild(let host, let found, let expected):
      "The worker on '\(host)' is the build \(found.prefix(8)), and this orchestrator's is"
        + " \(expected.prefix(8)), so agents compiled here do not load there. Install the same"
        + " release on both, or set \"copiesWorker\": true for the host."
    case .incompatible(let host, let problem):
      "The host '\(host)' cannot be used: \(problem)."
    case .noModel(let host, let path):
      "The model \(path) is not on the host '\(host)'. Name where it is there in the host's"
        + " \"models\", or set \"copiesModels\": true to send it."
    case .notStaged(let host, let path, let problem):
      "\(path) cannot be sent to the host '\(host)': \(problem)."
    case .refused(let host, let problem): "The host '\(host)' starts no worker: \(problem)"
    case .unavailable(let host, let state):
      "The host '\(host)' takes no further worker: it is \(state.word)."
    case .breach(let host, let problem):
      "The outpost on '\(host)' broke the protocol with \(problem), and was given up."
    case .lost(let host): "The host '\(host)' was lost."
    }
  }
}
