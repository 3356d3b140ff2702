import ArgumentParser
import Coordinator
import Doors
import Foundation
import TestSupport

/// Kills what runs on other machines and what leads there, and pulls a cable.
struct HostsProof: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hosts",
    abstract: "kill -9 on both sides of an ssh at random moments of a turn, and a pulled cable.",
    discussion: """
      All agents run on two machines that a real sshd leads to; namespaces make them, which takes \
      root. What is killed is the coordinator, a launcher, an outpost, or one of its processes.
      """
  )

  @Option(help: "How many turns are disturbed by a kill.")
  var trials = 300

  @Option(help: "How often the cable is pulled.")
  var cuts = 3

  @Option(help: "What the choices are made from.")
  var seed: UInt64 = 1

  func run() async throws {
    let stage = try await KillStage(seed: seed, isIdempotent: false, usesHosts: true)
    var partitions: [Partition] = []
    do {
      try await stage.calibrate()
      for cut in 0..<cuts {
        let partition = try await stage.part(cut)
        note("cut \(cut + 1): \(partition)")
        partitions.append(partition)
      }
      for trial in 1...max(1, trials) {
        try await stage.disturb(trial)
        if trial % 20 == 0 { note("\(trial) trials: \(await stage.tally)") }
      }
    } catch {
      await stage.close(keepingFolder: true)
      throw error
    }
    let tally = await stage.tally
    let isKept = tally.violations == 0 && partitions.allSatisfy(\.isKept)
    await stage.close(keepingFolder: !isKept)
    for line in tally.details.prefix(40) { note(line) }
    print(
      "hosts: \(trials) trials, seed \(seed): \(tally); cable pulled \(cuts) times: "
        + partitions.map(\.description).joined(separator: "; ")
    )
    guard isKept else { throw ExitCode.failure }
  }
}

/// What a pulled cable came to.
struct Partition: Sendable, CustomStringConvertible {
  /// The seconds after which the coordinator has given the host up; `nil` when it has not.
  var lost: Double?
  /// The seconds after which everything on the host had ended; `nil` when it had not.
  var ended: Double?
  /// Whether the turn that began meanwhile was answered.
  var isAnswered: Bool
  /// Effects that were brought about more than once.
  var repeated: [String]

  /// The coordinator gives it up after 20 s of silence and the host ends itself after 30 s, each a
  /// heartbeat and the pauses of looking later.
  var isKept: Bool {
    guard let lost, let ended else { return false }
    return (18...25).contains(lost) && (25...35).contains(ended) && isAnswered && repeated.isEmpty
  }

  var description: String {
    let times = [lost, ended].map { $0.map { String(format: "%.1f s", $0) } ?? "never" }
    return "lost after \(times[0]), ended after \(times[1]), "
      + (isAnswered ? "answered" : "not answered") + ", \(repeated.count) effects repeated"
  }
}

extension KillStage {
  /// Pulls the cable of a machine on which workers live, asks on, and plugs it in again.
  func part(_ number: Int) async throws -> Partition {
    guard let rack else { throw Broken(description: "There is no cable to pull.") }
    let (session, prompt) = ("cut\(number)", "p\(number)")
    var audit = KillAudit()
    guard try await ask("q\(number)", in: session, &audit) else {
      throw Broken(description: "A turn was not answered before the cable was pulled.")
    }
    let all = rack.processes
    guard let machine = all.compactMap(rack.name).first else {
      throw Broken(description: "No process is on either machine.")
    }
    let parted = all.filter { rack.name(of: $0) == machine }
    let client = try await living().client
    try await rack.machines.perform("cut \(machine)")
    let begin = ContinuousClock.now
    async let lost = Self.seconds(since: begin) {
      let hosts = (try? await client.hosts()) ?? []
      return hosts.contains { host in host.name == machine && host.state == "lost" }
    }
    async let ended = Self.seconds(since: begin) { !parted.contains(where: Processes.isThere) }
    let isAnswered = try await ask(prompt, in: session, &audit)
    let times = await (lost, ended)
    try await rack.machines.perform("join \(machine)")
    let effects = effects { $0 == prompt }
    let counts = Dictionary(grouping: effects) { $0 }.filter { $0.value.count > 1 }
    return Partition(
      lost: times.0,
      ended: times.1,
      isAnswered: isAnswered,
      repeated: Array(counts.keys)
    )
  }

  private static func seconds(
    since begin: ContinuousClock.Instant,
    until isSo: () async -> Bool
  ) async -> Double? {
    while !(await isSo()) {
      guard ContinuousClock.now - begin < .seconds(60) else { return nil }
      try? await Task.sleep(for: .milliseconds(20))
    }
    return (ContinuousClock.now - begin) / .seconds(1)
  }
}
