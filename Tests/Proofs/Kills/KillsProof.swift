import ArgumentParser
import Foundation

/// Kills a random process of the tree at a random moment of a turn, repeatedly.
struct KillsProof: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kills",
    abstract: "kill -9 of a random process of the tree at a random moment of a turn."
  )

  @Option(help: "How many turns are disturbed.")
  var trials = 1000

  @Option(help: "What the choices are made from.")
  var seed: UInt64 = 1

  @Flag(
    help: "Let the tool say, falsely, that it can be called again: effects must then be repeated."
  )
  var plant = false

  func run() async throws {
    let stage = try await KillStage(seed: seed, isIdempotent: plant)
    do {
      try await stage.calibrate()
      for trial in 1...max(1, trials) {
        try await stage.disturb(trial)
        if trial % 50 == 0 { note("\(trial) trials: \(await stage.tally)") }
      }
    } catch {
      await stage.close(keepingFolder: true)
      throw error
    }
    let tally = await stage.tally
    await stage.close(keepingFolder: tally.violations > 0)
    for line in tally.details.prefix(40) { note(line) }
    if plant {
      print("kills --plant: \(tally.repeated) effects repeated in \(trials) trials, seed \(seed)")
      guard tally.repeated > 0 else { throw ExitCode.failure }
      return
    }
    print("kills: \(trials) trials, seed \(seed): \(tally)")
    guard tally.violations == 0 else { throw ExitCode.failure }
  }
}

/// The results of all trials.
struct KillTally: CustomStringConvertible {
  var trials = 0
  var coordinatorKills = 0
  var launcherKills = 0
  var outpostKills = 0
  var workerKills = 0
  var misses = 0
  var unknownOutcomes = 0
  var goneOn = 0
  var lost = 0
  var repeated = 0
  var doubled = 0
  var unfinished = 0
  var orphans = 0
  var details: [String] = []

  var violations: Int { lost + repeated + doubled + unfinished + orphans + (trials - goneOn) }

  mutating func add(_ findings: KillAudit.Findings) {
    lost += findings.lost.count + findings.unannounced.count
    repeated += findings.repeated.count
    doubled += findings.doubled.count
    unfinished += findings.unfinished.count
    details += findings.all
  }

  var description: String {
    "\(lost) accepted entries lost, \(repeated) effects repeated, \(doubled) shown or kept twice,"
      + " \(orphans) orphans, \(unfinished) turns without their answer;"
      + " \(goneOn) of \(trials) conversations went on"
      + " (\(coordinatorKills) coordinators, \(launcherKills) launchers, \(outpostKills) outposts and"
      + " \(workerKills) workers and templates killed,"
      + " \(misses) too late; \(unknownOutcomes) calls of unknown outcome)"
  }
}
