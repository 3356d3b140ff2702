import Foundation

/// What a coordinator costs per host, per worker and per turn: the real program, with outposts and
/// workers that cost next to nothing because they are played.
enum SimulateRow {
  /// The workers on each host.
  private static let workers = 50
  /// How many prompts are under way at a time.
  private static let width = 16
  private static let restSeconds = 10.0

  static func run(_ plan: Plan) async throws -> Outcome {
    var lines: [[Double]] = []
    for hosts in plan.isQuick ? [4] : [10, 50, 200] {
      lines.append(try await measure(hosts: hosts, workers: plan.isQuick ? 5 : workers))
    }
    return Outcome(
      table: Finding.Table(
        title: "What a coordinator costs beside \(workers) workers a host",
        head: [
          "hosts", "workers", "MB", "KB/host", "KB/worker", "% of a core idle",
          "ms of a core/start",
          "ms of a core/turn", "turns/s",
        ],
        lines: lines
      )
    )
  }

  private static func measure(hosts: Int, workers: Int) async throws -> [Double] {
    let outposts = try PlayedOutposts(worker: Products.worker)
    let coordinator = try await SimulatedCoordinator(
      hosts: hosts,
      workers: workers,
      launch: outposts.launch
    )
    defer { coordinator.end() }
    let before = coordinator.load
    try coordinator.startHosts(hosts)
    try await wait(for: "\(hosts) outposts") { outposts.count == hosts }
    try await Task.sleep(for: .seconds(2))
    let open = coordinator.load

    let sessions = (0..<hosts * workers).map { "s\($0)" }
    let begin = ContinuousClock.now
    try await coordinator.ask(sessions, width: width)
    let started = coordinator.load
    note(
      "  \(outposts.workers) workers after \(Sample.short((.now - begin).milliseconds / 1000)) s"
    )
    try await Task.sleep(for: .seconds(restSeconds))
    let rested = coordinator.load

    let chosen = Array(sessions.shuffled().prefix(2000))
    let turns = ContinuousClock.now
    try await coordinator.ask(chosen, width: width)
    let seconds = (ContinuousClock.now - turns).milliseconds / 1000
    let answered = coordinator.load
    let count = Double(sessions.count)
    return [
      Double(hosts), Double(outposts.workers), rested.megabytes,
      (open.megabytes - before.megabytes) * 1000 / Double(hosts),
      (rested.megabytes - open.megabytes) * 1000 / count,
      (rested.seconds - started.seconds) / restSeconds * 100,
      (started.seconds - open.seconds) * 1000 / count,
      (answered.seconds - rested.seconds) * 1000 / Double(chosen.count),
      Double(chosen.count) / seconds,
    ]
  }

  private static func wait(for what: String, _ isSo: () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while !isSo() {
      guard ContinuousClock.now < deadline else { throw Missing(what: what) }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  private static func note(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }

  struct Missing: Error {
    let what: String
  }
}
