import ArgumentParser
import Foundation

/// Sends mutated frames to live processes: half of them to workers, half to a coordinator.
struct LiveFrames {
  let count: Int
  let seed: UInt64

  func run() async throws {
    let home = try ProofHome()
    defer { home.remove() }
    let lying = LyingWorkers(home: home, seed: seed)
    try await lying.prove()
    let workers = try TamperedWorkers(plugin: try home.plugin(of: "Clerk"), seed: seed)
    try await workers.prove()
    let ends = try await workers.run(count / 2)
    let found = try await lying.run(count - count / 2)
    for line in ends.lines + found.exits.lines.map({ "turn: \($0)" }) { note(line) }
    for problem in found.problems.prefix(20) { note(problem) }
    let hung = ends.count { $0 == TamperedWorkers.End.hung.name }
    let crashed = ends.count { $0.contains("signal") }
    print(
      "frames --live \(ends.sum + found.lies): \(ends.sum) to live workers, seed \(seed):"
        + " \(hung) hung, \(crashed) ended by a signal; \(found.lies) from live workers to a"
        + " coordinator: \(found.exits.sum) turns ended, \(found.answers) answers to a bystander,"
        + " peak \(found.peakMegabytes) MB; \(found.problems.count) crashes, hangs and losses"
    )
    guard hung == 0, crashed == 0, found.problems.isEmpty else { throw ExitCode.failure }
  }
}
