import ArgumentParser
import Coordination
import Foundation

/// Has very many friends phoned in one life of a coordinator.
struct FriendsProof: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "friends",
    abstract: "Very many friends, each a process, in one life of the coordinator."
  )

  @Option(help: "How many friends are phoned.")
  var count = 100_000

  @Option(help: "How many of them are phoned in a turn.")
  var batch = 100

  @Option(help: "How many at a time.")
  var width = 2

  @Option(
    help: ArgumentHelp(
      "How many are phoned before it is looked at what is held; half of them where nothing is said.",
      discussion: "A heap settles late, and the caches of a journal fill as it grows."
    )
  )
  var warmUp: Int?

  private static let patience = Duration.seconds(600)

  func run() async throws {
    let home = try ProofHome()
    defer { home.remove() }
    for (type, source) in PhoneBook.agents {
      try source.write(
        toFile: "\(home.folder)/agents/\(type).swift",
        atomically: true,
        encoding: .utf8
      )
    }
    let coordinator = try await home.coordinator(agents: [], beginner: "caller")
    defer { coordinator.stop() }
    let caps = "rounds=10000,calls=10000,tokens=10000000,seconds=600,fanout=\(width + 1)"
    var (growth, answered) = (Growth(spares: PhoneBook.phoned.count), 0)
    let warmUp = warmUp ?? count / 2
    let start = ContinuousClock.now
    // The agent that phones the others is a friend too.
    for turn in 1...max(1, count / (batch + 1)) {
      let end = try await coordinator.ask(
        "\(batch) \(width)",
        in: "friends",
        caps: caps,
        patience: Self.patience
      )
      guard let lines = end?.answer?.split(separator: "\n"), let right = Int(lines.first ?? "")
      else {
        throw Broken(description: "Turn \(turn) came to this: \(end as Any)")
      }
      answered += right + 1
      for line in lines.dropFirst() { Self.say("Instead of an answer: \(line)") }
      let friends = turn * (batch + 1)
      guard friends > warmUp else { continue }
      growth.samples.append(try await Self.settled(coordinator.pid, friends: friends))
      if turn % 20 == 0 { Self.note(growth, friends, since: start) }
    }
    try growth.prove()
    let phoned = max(1, count / (batch + 1)) * (batch + 1)
    let more = growth.more
    print(
      "friends: \(answered) of \(phoned) answered in one life of the coordinator; after a warm-up of"
        + " \(warmUp), the last tenth against the first: \(more.descriptors) descriptors,"
        + " \(more.processes) processes and \(more.bytes / 1024) KB more"
    )
    guard answered == phoned, !growth.isGrowing else { throw ExitCode.failure }
  }

  /// Takes a sample once what the turn started is gone; a friend may end a moment after its answer.
  private static func settled(_ pid: Int32, friends: Int) async throws -> Growth.Sample {
    var sample = try Growth.Sample(of: pid, friends: friends)
    for _ in 0..<10 {
      try await Task.sleep(for: .milliseconds(5))
      let next = try Growth.Sample(of: pid, friends: friends)
      if next.processes >= sample.processes, next.descriptors >= sample.descriptors { break }
      sample = next
    }
    return sample
  }

  private static func note(_ growth: Growth, _ friends: Int, since start: ContinuousClock.Instant) {
    guard let last = growth.samples.last else { return }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    say(
      "\(friends) friends, \(Int(Double(friends) / seconds)) a second: \(last.descriptors)"
        + " descriptors, \(last.processes) processes, \(last.bytes / 1024) KB"
    )
  }

  private static func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
