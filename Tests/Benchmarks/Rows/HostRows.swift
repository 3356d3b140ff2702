import Foundation
import Outposts
import TestSupport
import Wire

/// A friend on another machine, from the journaled call to its first words, against the same at home.
///
/// The other machine is this one behind a real sshd, so that what is measured is the way there. No
/// spare stands by, here or there: each friend is forked when it is phoned.
enum HostRows {
  /// The same machine: behind pipes, behind ssh, and behind an ssh for each friend.
  private enum Way: String, CaseIterable {
    case pipes, ssh, anew
  }

  static func run(_ plan: Plan) async throws -> Outcome {
    let folder = try Products.temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let machines = try await StandingCounterpart("hosts", [folder, "there"])
    defer { machines.close() }
    var home = Sample("friend at home, forked")
    var piped = Sample("friend on an outpost behind pipes, forked")
    var ssh = Sample("friend on an outpost behind ssh, forked")
    var each = Sample("friend, an ssh of its own")
    var roundTrip = Sample("a short message there and back")
    var setting = Stage.Setting(model: plan.fixtures.model)
    setting.hosts = Way.allCases.map { way in
      let there = way == .pipes ? [] : ["ssh", "-T", "-F", folder + "/config", "there", "exec"]
      return HostDefinition(name: way.rawValue, launch: there + [Products.worker, "--outpost"])
    }
    let agents: [AgentSource] = [
      .caller(of: "friend"),
      .answering("Friend", instructions: FriendRows.instructions, tokens: 4),
    ]
    try await Stage.set(setting, agents: agents) { stage in
      try await stage.prepare("caller")
      for run in 0...plan.runs(15) {
        let times = [
          try await ask(run, nil, on: stage), try await ask(run, .pipes, on: stage),
          try await ask(run, .ssh, on: stage),
        ]
        // The first run makes the templates.
        if run == 0 { continue }
        home.add(times[0])
        piped.add(times[1])
        ssh.add(times[2])
        let there = stage.hosts[Way.ssh.rawValue]
        if let time = try await there?.roundTrip(of: 16) { roundTrip.add(time) }
      }
      // Fewer, because each takes seconds.
      for run in 1...plan.runs(5) { each.add(try await askAnew(run, on: stage)) }
    }
    let bound = (home.median + roundTrip.median + 5) / home.median
    return Outcome(rows: [
      Row(
        name: "a friend on another machine",
        measured: ssh,
        against: home,
        goal: .atMost(bound),
        expected: "1.1",
        remark: "the goal is 5 ms and a round trip more, which takes"
          + " \(Sample.short(roundTrip.median)) ms"
      ),
      Row(
        name: "the same, behind pipes",
        measured: piped,
        against: home,
        goal: .atMost(bound),
        expected: "1.1"
      ),
      Row(
        name: "the same, against a launch for each friend",
        measured: ssh,
        against: each,
        goal: .atMost(0.1),
        expected: "0.05"
      ),
    ])
  }

  /// Returns how long a friend takes to its first words.
  private static func ask(
    _ run: Int,
    _ way: Way?,
    on stage: Stage
  ) async throws -> Duration {
    let question = Words.text(tokens: 20, seed: UInt64(run + 1))
    stage.hosts.place("friend", on: way?.rawValue)
    let conversation = try await stage.conversation("friends", with: "caller")
    stage.timeline.clear()
    try await stage.turn(question, in: conversation)
    return try stage.timeline.firstText(of: "friend") - stage.timeline.call(by: "caller")
  }

  /// Asks a friend for which the machine has nothing ready.
  private static func askAnew(_ run: Int, on stage: Stage) async throws -> Duration {
    let time = try await ask(run, .anew, on: stage)
    let outpost = stage.hosts[Way.anew.rawValue]
    // What is closed does not start again, unlike what was given back.
    await outpost?.drain()
    let deadline = ContinuousClock.now + .seconds(30)
    while let state = await outpost?.status.state, state != .off {
      guard ContinuousClock.now < deadline else { throw NotGivenBack(state: state) }
      try await Task.sleep(for: .milliseconds(20))
    }
    return time
  }

  struct NotGivenBack: Error {
    let state: HostState
  }
}
