import Foundation
import Outposts
import TestSupport
import Wire

/// A friend on another machine, from the journaled call to its first words, against the same at home.
///
/// The other machine is this one behind a real sshd, so that what is measured is the way there. No
/// spare stands by, here or there: each friend is forked when it is phoned.
enum HostRows {
  static func run(_ plan: Plan) async throws -> Outcome {
    let folder = try Products.temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let machines = try await StandingCounterpart("hosts", [folder, "there"])
    defer { machines.close() }
    var home = Sample("friend at home, forked")
    var piped = Sample("friend on an outpost behind pipes, forked")
    var ssh = Sample("friend on an outpost behind ssh, forked")
    var each = Sample("friend, an ssh of its own")
    let there = ["ssh", "-T", "-F", folder + "/config", "there", "exec"]
    let worker = [Products.worker, "--outpost"]
    try await withStage(plan, nil) { here in
      try await withStage(plan, worker) { near in
        try await withStage(plan, there + worker) { far in
          try await withStage(plan, there + worker) { anew in
            for run in 0...plan.runs(15) {
              let question = Words.text(tokens: 20, seed: UInt64(run + 1))
              let times = [
                try await ask(question, on: here), try await ask(question, on: near),
                try await ask(question, on: far),
              ]
              // Fewer, because each takes seconds.
              let alone = run <= plan.runs(5) ? try await askAnew(question, on: anew) : nil
              // The first run makes the templates.
              if run == 0 { continue }
              home.add(times[0])
              piped.add(times[1])
              ssh.add(times[2])
              if let alone { each.add(alone) }
            }
          }
        }
      }
    }
    let bound = (home.median + 5) / home.median
    return Outcome(rows: [
      Row(
        name: "a friend on another machine",
        measured: ssh,
        against: home,
        goal: .atMost(bound),
        expected: "1.1",
        remark: "the goal is 5 ms more than at home"
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

  private static func withStage(
    _ plan: Plan,
    _ launch: [String]?,
    _ body: (Stage) async throws -> Void
  ) async throws {
    var setting = Stage.Setting(model: plan.fixtures.model)
    setting.host = launch.map { HostDefinition(name: "there", launch: $0) }
    setting.distant = ["friend"]
    let agents: [AgentSource] = [
      .caller(of: "friend"),
      .answering("Friend", instructions: FriendRows.instructions, tokens: 4),
    ]
    try await Stage.set(setting, agents: agents) { stage in
      try await stage.prepare("caller")
      try await body(stage)
    }
  }

  private static func ask(_ question: String, on stage: Stage) async throws -> Duration {
    let conversation = try await stage.conversation("friends", with: "caller")
    stage.timeline.clear()
    try await stage.turn(question, in: conversation)
    return try stage.timeline.firstText(of: "friend") - stage.timeline.call(by: "caller")
  }

  /// Asks a friend for which the machine has nothing ready.
  private static func askAnew(_ question: String, on stage: Stage) async throws -> Duration {
    // What is closed does not start again, unlike what was given back.
    await stage.outpost?.drain()
    let deadline = ContinuousClock.now + .seconds(30)
    while let state = await stage.outpost?.status.state, state != .off {
      guard ContinuousClock.now < deadline else { throw NotGivenBack(state: state) }
      try await Task.sleep(for: .milliseconds(20))
    }
    return try await ask(question, on: stage)
  }

  struct NotGivenBack: Error {
    let state: HostState
  }
}
