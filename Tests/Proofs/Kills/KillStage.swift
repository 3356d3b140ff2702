import AgentKit
import Coordination
import Coordinator
import Doors
import Foundation
import Journal
import TestSupport

/// A coordinator of the product with the agents of the proof, and what kills it.
actor KillStage {
  /// The number of turns in a session before the next begins.
  private static let turnsOfSession = 10
  private static let patience = Duration.seconds(120)

  var tally = KillTally()
  let folder: String
  private let effectsFolder: String
  private let cast: KillCast
  /// The machines on which the agents run; `nil` for this one.
  let rack: HostRack?
  private var random: Seeded
  private var coordinator: Coordinator?
  /// The duration of an undisturbed turn.
  private var turnSeconds = 1.0

  /// - Parameter usesHosts: Whether the agents run on other machines.
  init(seed: UInt64, isIdempotent: Bool, usesHosts: Bool = false) async throws {
    let name = "orch-proof-\(UUID().uuidString.prefix(8))"
    // Short, because it holds sockets.
    folder = "/tmp/\(name)"
    // The machines have a `/tmp` of their own.
    effectsFolder = usesHosts ? "/var/tmp/\(name)" : folder + "/effects"
    cast = KillCast(
      effects: effectsFolder + "/log",
      host: usesHosts ? HostRack.group : nil
    )
    random = Seeded(seed)
    for path in [folder, effectsFolder] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    try cast.write(to: folder + "/agents", isIdempotent: isIdempotent)
    rack = usesHosts ? try await HostRack(in: folder + "/net") : nil
    try rack?.writeHosts(to: folder)
  }

  func close(keepingFolder: Bool) {
    coordinator?.stop()
    if keepingFolder {
      FileHandle.standardError.write(Data("what was left is in \(folder)\n".utf8))
    } else {
      for path in [folder, effectsFolder] { try? FileManager.default.removeItem(atPath: path) }
    }
    rack?.machines.close()
  }

  /// Runs undisturbed turns, and has the audit find what is planted in them.
  func calibrate() async throws {
    for index in 0..<3 {
      let start = ContinuousClock.now
      var audit = KillAudit()
      _ = try await ask("c\(index)", in: "calibration", &audit)
      turnSeconds = max(0.05, (ContinuousClock.now - start) / .seconds(1))
      audit.effects = effects { $0 == "c\(index)" }
      guard Set(audit.effects) == Set(KillCast.effects(of: "c\(index)")) else {
        throw Broken(description: "An undisturbed turn had these effects: \(audit.effects)")
      }
      guard index == 0, let reader = try JournalReader(path: folder + "/home/state/journal.sqlite")
      else {
        continue
      }
      try await audit.read("calibration", reader)
      try audit.prove()
    }
  }

  /// Runs one turn and kills one process in it.
  func disturb(_ trial: Int) async throws {
    let session = "s\(trial / Self.turnsOfSession)"
    let (prompt, next) = ("t\(trial)", "n\(trial)")
    let coordinator = try await living()
    tally.trials += 1
    let moment = Double.random(in: 0..<1.1, using: &random) * turnSeconds
    let dice = Double.random(in: 0..<1, using: &random)
    async let killed = Self.kill(after: moment, dice, in: coordinator, rack)
    var audit = KillAudit()
    _ = try? await ask(prompt, in: session, &audit)
    let victim = await killed
    switch victim?.kind {
    case .coordinator:
      tally.coordinatorKills += 1
      // A prompt that reaches a coordinator about to die is not accepted, which is no violation.
      coordinator.process.waitUntilExit()
    case .launcher: tally.launcherKills += 1
    case .outpost: tally.outpostKills += 1
    case .worker: tally.workerKills += 1
    case nil: tally.misses += 1
    }
    await expectGone(victim?.children ?? [], trial, within: .seconds(1))
    // The next prompt finishes the interrupted turn and is answered as well.
    if try await ask(next, in: session, &audit) {
      tally.goneOn += 1
    } else {
      tally.details.append("trial \(trial) did not go on")
    }
    await expectGone(victim?.distant ?? [], trial, within: HostRack.lease)
    guard let reader = try JournalReader(path: folder + "/home/state/journal.sqlite") else {
      return
    }
    try await audit.read(session, reader)
    // Earlier turns of the session have already been checked.
    audit.turns.removeAll { turn in
      let words = turn.entries.first.map { "\($0)" }
      return words != prompt && words != next
    }
    audit.effects = effects { $0 == prompt || $0 == next }
    let unknown = audit.shown.filter { $0.words.contains(KillAudit.unknown) }
    tally.unknownOutcomes += Set(unknown).count
    tally.add(audit.findings)
  }

  /// What was killed, and what has to end with it.
  private struct Victim: Sendable {
    enum Kind { case coordinator, launcher, outpost, worker }

    var kind: Kind
    /// On this machine, at once.
    var children: [Processes.Facts] = []
    /// On other machines, once their lease is over.
    var distant: [Processes.Facts] = []
  }

  /// Kills the coordinator one time in three, and otherwise one of the processes that have come of
  /// it, on whatever machine.
  private static func kill(
    after seconds: Double,
    _ dice: Double,
    in coordinator: Coordinator,
    _ rack: HostRack?
  ) async -> Victim? {
    try? await Task.sleep(for: .seconds(seconds))
    let children = coordinator.children
    let distant = rack?.processes ?? []
    let all = children + distant
    if dice < 1 / 3 || all.isEmpty {
      guard coordinator.isRunning else { return nil }
      Foundation.kill(coordinator.pid, SIGKILL)
      return Victim(kind: .coordinator, children: children, distant: distant)
    }
    let place = Int((dice - 1 / 3) * 1.5 * Double(all.count))
    let process = all[min(place, all.count - 1)]
    var victim = Victim(kind: .worker)
    if let rack, let machine = rack.machine(launchedBy: process) {
      victim = Victim(kind: .launcher, distant: distant.filter { rack.name(of: $0) == machine })
    } else if let rack, rack.outposts.contains(process) {
      let machine = rack.name(of: process)
      victim = Victim(kind: .outpost, distant: distant.filter { rack.name(of: $0) == machine })
    }
    guard Processes.isThere(process) else { return nil }
    Foundation.kill(process.pid, SIGKILL)
    return victim
  }

  /// Checks that processes are gone in time after the end of what they belong to.
  private func expectGone(
    _ processes: [Processes.Facts],
    _ trial: Int,
    within patience: Duration
  ) async {
    let deadline = ContinuousClock.now + patience
    while processes.contains(where: Processes.isThere), ContinuousClock.now < deadline {
      try? await Task.sleep(for: .milliseconds(5))
    }
    let orphans = processes.filter(Processes.isThere)
    tally.orphans += orphans.count
    for orphan in orphans { tally.details.append("trial \(trial) left process \(orphan.pid)") }
  }

  /// Asks and records what is shown.
  ///
  /// - Returns: Whether the prompt was answered before the coordinator was gone.
  func ask(
    _ prompt: String,
    in session: String,
    _ audit: inout KillAudit
  ) async throws -> Bool {
    let client = try await living().client
    let (events, told) = AsyncStream<TurnEvent>.makeStream()
    let request = PromptRequest(session: session, prompt: prompt, caps: nil)
    let asking = Self.send(request, client, told)
    // A coordinator that never answers is a finding, not the end of the proof.
    let bound = Task {
      try await Task.sleep(for: Self.patience)
      told.finish()
    }
    defer {
      bound.cancel()
      asking.cancel()
    }
    var turn: Int64?
    var isAnswered = false
    for await event in events {
      audit.see(event, prompt: prompt, turn: &turn)
      switch event {
      case .accepted: isAnswered = false
      case .ended(let summary):
        isAnswered = summary.exit == .answered && summary.answer == KillCast.answer(to: prompt)
      default: break
      }
    }
    asking.cancel()
    _ = try? await asking.value
    return isAnswered
  }

  private static func send(
    _ request: PromptRequest,
    _ client: RemoteCoordinator,
    _ told: AsyncStream<TurnEvent>.Continuation
  ) -> Task<Void, any Error> {
    Task {
      defer { told.finish() }
      for try await event in try await client.prompt(request) { told.yield(event) }
    }
  }

  /// Returns the effects of some prompts, selected by the prompt before the dot.
  func effects(of isMeant: (Substring) -> Bool) -> [String] {
    let text = (try? String(contentsOfFile: cast.effects, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { line in
      line.split(separator: ".").first.map(isMeant) ?? false
    }.map(String.init)
  }

  func living() async throws -> Coordinator {
    if let coordinator, coordinator.isRunning { return coordinator }
    let names = KillCast.names + (rack == nil ? [] : ["hosts.json"])
    let allowed = names.flatMap { ["--allow", $0] }
    let new = try await Coordinator(
      home: folder + "/home",
      agents: folder + "/agents",
      options: ["--agent", "clerk"] + allowed
    )
    coordinator = new
    return new
  }
}
