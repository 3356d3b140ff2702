import Foundation
import TestSupport
import Testing

/// A Slurm cluster, and the product that uses it.
final class SlurmStage {
  let product: Product
  let cluster: StandingCounterpart
  let folder: String

  init(nodes: Int = 3) async throws {
    product = try Product()
    folder = product.home + "/slurm"
    cluster = try await Counterpart.standing("slurm", [folder, "\(nodes)"])
  }

  // Before the product's folder is removed, in which the cluster's commands find it.
  deinit { cluster.close() }

  func entry(count: Int? = nil, waitLimit: Double? = nil, _ options: String...) -> HostEntry {
    HostEntry(
      name: "slurm",
      launch: [
        "\(folder)/bin/srun", "--ntasks=1", "--nodes=1", "--unbuffered", "--mem=1000",
        "--cpus-per-task=2", "--export=NONE", "--chdir=/",
        "--job-name={instance}",
      ] + options + [Product.folder + "/orchestrator-worker", "--outpost"],
      count: count,
      waitLimit: waitLimit
    )
  }

  /// A group of which each host is a step of one allocation, as the README has it, on these nodes.
  func allocated(count: Int) throws -> HostEntry {
    let readme = try String(contentsOfFile: Product.root + "/README.md", encoding: .utf8)
    var sample = try #require(
      readme.components(separatedBy: "```json\n").first { $0.contains(#""allocation""#) }
    ).components(separatedBy: "```")[0]
    for (there, here) in [
      (#""cluster""#, #""slurm""#), (#""count": 3"#, #""count": \#(count)"#),
      (#""salloc""#, #""\#(folder)/bin/salloc""#), (#""srun""#, #""\#(folder)/bin/srun""#),
      ("scancel", "'\(folder)/bin/scancel'"), ("--nodes=3", "--nodes=\(count)"),
      ("--mem=16G", "--mem=1000"), ("--cpus-per-task=8", "--cpus-per-task=2"),
      ("/shared/orchestrator/", Product.folder + "/"),
    ] {
      #expect(sample.contains(there))
      sample.replace(there, with: here)
    }
    let entries = try JSONDecoder().decode(HostEntries.self, from: Data(sample.utf8))
    var group = try #require(entries.hosts.first)
    group.waitLimit = 120
    return group
  }

  func run(_ line: String) async throws -> Product.Outcome {
    try await product.shell("cd '\(folder)/bin' && ./\(line)")
  }

  /// Takes all of a node for a while.
  func occupy(_ node: String, _ options: String = "") async throws -> Session {
    try await product.open(
      shell: "exec '\(folder)/bin/srun' -n1 -w \(node) --exclusive --mem=0 \(options) cat"
    )
  }

  /// Asks the tutorial, and returns once it has answered.
  func ask(_ model: String, in chat: Session) async throws {
    let count = chat.output.split(separator: "\n").count
    chat.type("How do I fold a \(model)?\n")
    let isAnswered = await chat.waitForOutput {
      $0.split(separator: "\n").count > count + 2 && $0.hasSuffix("\n")
    }
    #expect(isAnswered, "\(model): \(chat.errors)")
  }

  /// The last run of the tutorial.
  func lastRun() async throws -> RunLine {
    try #require(try await product.runs().last { $0.agent == "tutorial" })
  }

  /// The node that was given out.
  func node() async throws -> String {
    try #require(try await run("squeue --noheader --states=R --format=%N").lines.first)
  }

  func states(of partition: String = "all") async throws -> [String] {
    try await run("sinfo --noheader -N -p \(partition) --format=%T").lines
  }
}
