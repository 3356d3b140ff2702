import ArgumentParser
import Coordinator
import Doors
import Foundation

/// Sends requests that the doors must refuse, and checks that honest ones are answered meanwhile.
struct DoorsProof: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doors",
    abstract: "Other users, other origins, wrong tokens, huge and slow clients, and many of them."
  )

  @Option(help: "How many requests are made that may not come in.")
  var requests = 10_000

  @Option(help: "How many slow clients come at a time.")
  var slow = 80

  @Option(help: "How many seconds the slow ones stay.")
  var seconds = 30

  @Option(help: "What the choices are made from.")
  var seed: UInt64 = 1

  @Option(help: .hidden)
  var strangerAt: String?

  @Flag(help: .hidden)
  var isUserHimself = false

  func run() async throws {
    if let strangerAt {
      if !isUserHimself { try becomeStranger() }
      for (name, succeeds) in Stranger(home: strangerAt).attempts() {
        print(succeeds ? "in" : "out", name)
      }
      return
    }
    signal(SIGPIPE, SIG_IGN)
    let home = try ProofHome()
    defer { home.remove() }
    let figures = try await besiege(home)
    for line in figures.details.prefix(20) {
      FileHandle.standardError.write(Data("\(line)\n".utf8))
    }
    print("doors: \(figures)")
    guard figures.isGood else { throw ExitCode.failure }
  }

  private func besiege(_ home: ProofHome) async throws -> DoorFigures {
    try Porter.source.write(
      toFile: home.folder + "/agents/Porter.swift",
      atomically: true,
      encoding: .utf8
    )
    let coordinator = try await Coordinator(
      home: home.folder + "/home",
      agents: home.folder + "/agents",
      options: ["--listen", "0"]
    )
    defer { coordinator.stop() }
    let door = try await coordinator.client.statusIfServed()?.door ?? ""
    guard let port = UInt16(door.split(separator: ":").last ?? "") else {
      throw Broken(description: "The coordinator does not say where its door is: '\(door)'.")
    }
    let file = home.folder + "/home/run/token"
    let deadline = ContinuousClock.now + .seconds(20)
    while !FileManager.default.fileExists(atPath: file), ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(5))
    }
    let token = try String(contentsOfFile: file, encoding: .utf8)
    let siege = Siege(
      knocking: Knocking(port: port),
      token: token,
      coordinator: coordinator.pid,
      home: home.folder + "/home"
    )
    return try await siege.run(requests: requests, slow: slow, seconds: seconds, seed: seed)
  }

  /// Becomes another user.
  private func becomeStranger() throws {
    guard setgroups(0, nil) == 0, setgid(Stranger.user) == 0, setuid(Stranger.user) == 0 else {
      throw Broken(description: "Only the superuser can become another user.")
    }
  }
}

/// The results of a siege.
struct DoorFigures: Sendable, CustomStringConvertible {
  var requests = 0
  var letIn = 0
  var statuses: [Int: Int] = [:]
  var slowVisits = 0
  /// Requests with the token that mean nothing.
  var babbled = 0
  /// Requests of clients of models that ask nothing which could be answered.
  var nonsense = 0
  /// Streams that were not read, or on which nothing comes.
  var idleStreams = 0
  var strangerTried: Int?
  var honest = 0
  var unanswered = 0
  var slowest = Duration.zero
  var descriptorsMore = 0
  var details: [String] = []

  /// What the journal keeps open for up to five readers at once, however many there were.
  static let descriptorsOfReaders = 10

  var isGood: Bool {
    letIn == 0 && unanswered == 0 && descriptorsMore <= Self.descriptorsOfReaders
  }

  var description: String {
    let codes = statuses.sorted { $0.key < $1.key }
      .map { $0.key == 0 ? "no answer \($0.value)" : "\($0.key) \($0.value)" }
    let milliseconds = Int(slowest / .milliseconds(1))
    return "\(requests) requests (\(codes.joined(separator: ", "))),"
      + " \(slowVisits) visits of slow and idle clients, \(babbled) requests that mean nothing,"
      + " \(nonsense) requests of models that make no sense, \(idleStreams) streams that are not"
      + " read,"
      + " \(strangerTried.map { "\($0) attempts" } ?? "no attempt") of another user:"
      + " \(letIn) in; \(honest - unanswered) of \(honest) honest requests answered,"
      + " the slowest after \(milliseconds) ms; \(descriptorsMore) descriptors more"
  }
}
