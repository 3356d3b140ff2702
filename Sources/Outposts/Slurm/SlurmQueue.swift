package import Supervision

/// Slurm's queue, asked by `squeue` for a launch that `srun` or `salloc` has put into it.
///
/// The job is known by its name, so the launcher has to have `--job-name={instance}`.
package struct SlurmQueue: QueueWatch {
  /// The bytes of an answer that are read.
  private static let limit = 4096
  private static let patience = Duration.seconds(20)

  /// The words before that with Slurm's own command, such as an `ssh` to a login node.
  private let prefix: [String]
  /// What stands before the command's name in its word: its folder, and more where that word is a
  /// line for a shell; then `isLine` is true.
  private let beginning: String
  private let isLine: Bool
  private let environment: [String: String]
  private let eventLoop: ChildEventLoop

  /// Creates the queue of a launcher; `nil` when that is none of Slurm's, or does not name its job.
  package init?(launch: [String], environment: [String: String], eventLoop: ChildEventLoop) {
    guard launch.contains(where: { $0.contains("{instance}") }) else { return nil }
    self.environment = LauncherProcess.variables(of: environment)
    self.eventLoop = eventLoop
    for (index, word) in launch.enumerated() {
      for part in word.split(separator: " ") {
        let name = part.split(separator: "/").last
        guard name == "srun" || name == "salloc", let name else { continue }
        prefix = Array(launch[..<index])
        beginning = String(word[..<name.startIndex])
        isLine = part.endIndex != word.endIndex || part.startIndex != word.startIndex
        return
      }
    }
    return nil
  }

  package func place(of instance: String) async -> QueuePlace? {
    guard let launch = Launch(command: question(about: instance), environment: environment) else {
      return nil
    }
    let output = await eventLoop.output(of: launch, limit: Self.limit, patience: Self.patience)
    return output.flatMap(Self.place(from:))
  }

  /// The command that asks for the job with a name.
  ///
  /// Nothing that is added means anything to a shell, by which `ssh` has it read. The format is one
  /// that no release has changed, unlike the JSON of `squeue`.
  func question(about instance: String) -> [String] {
    let words = ["\(beginning)squeue", "--noheader", "--name=\(instance)", "--format=%T,%r"]
    return prefix + (isLine ? [words.joined(separator: " ")] : words)
  }

  /// Reads the answer; `nil` when it says nothing about a job that waits or runs.
  static func place(from output: String) -> QueuePlace? {
    guard let line = output.split(whereSeparator: \.isNewline).first else { return nil }
    // A reason may have commas of its own: "ReqNodeNotAvail, UnavailableNodes:n1".
    let parts = line.split(separator: ",", maxSplits: 1).map(String.init)
    switch parts.first {
    case "PENDING":
      let reason = parts.count > 1 ? parts[1] : "None"
      return isPermanent(reason) ? .impossible(reason: reason) : .waiting(reason: reason)
    case "CONFIGURING", "RUNNING", "SUSPENDED": return .running
    default: return nil
    }
  }

  /// Whether the end of no other job would let the job begin.
  private static func isPermanent(_ reason: String) -> Bool {
    let word = reason.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    switch word {
    case "BadConstraints", "InvalidAccount", "InvalidQOS", "PartitionConfig", "PartitionNodeLimit",
      "PartitionTimeLimit":
      return true
    // What one job may have at most, in contrast to what all jobs of a user may.
    default: return word.hasSuffix("PerJobLimit") || word.hasSuffix("PerJob")
    }
  }
}
