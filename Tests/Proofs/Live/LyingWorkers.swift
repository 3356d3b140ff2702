import AgentKit
import Coordination
import Foundation

/// A coordinator whose agents' workers lie, while another person has a conversation with an honest
/// one.
struct LyingWorkers {
  /// The results.
  struct Findings {
    let lies: Int
    let exits: Tally
    let answers: Int
    let peakMegabytes: Int
    let problems: [String]
  }

  /// More than a coordinator needs for everything it is told here.
  private static let maximumMegabytes = 1024
  private static let sessions = 4
  private static let turnsOfSession = 40
  private static let patience = Duration.seconds(60)

  let home: ProofHome
  let seed: UInt64

  private var log: String { home.folder + "/lies" }

  private var lies: Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: log)
    return attributes?[.size] as? Int ?? 0
  }

  func coordinator() async throws -> Coordinator {
    try LiveCast.write(to: home.folder + "/agents", others: ["liar"])
    let products = try Products(
      in: home.folder + "/products",
      worker: """
        case "$2" in
          liar-*) exec '\(Products.built.folder)/proofs' liar --count '\(log)' --seed \(seed) "$@" ;;
          template-*) exit 1 ;;
        esac
        exec "$real" "$@"
        """
    )
    return try await home.coordinator(agents: [], beginner: LiveCast.clerk, of: products)
  }

  /// Checks that a turn that does not end and a coordinator that is gone are noticed.
  func prove() async throws {
    let coordinator = try await coordinator()
    let silent = try await coordinator.ask(
      "silence",
      in: "detector",
      caps: "seconds=8",
      patience: .seconds(1)
    )
    kill(coordinator.pid, SIGSEGV)
    let end = try? await coordinator.ask(
      "say 1",
      in: "other",
      caps: "seconds=8",
      patience: Self.patience
    )
    coordinator.process.waitUntilExit()
    guard silent == nil, end == nil, !coordinator.isRunning else {
      throw Broken(
        description: "A turn that had not ended, or a dead coordinator, was not noticed."
      )
    }
  }

  func run(_ count: Int) async throws -> Findings {
    let coordinator = try await coordinator()
    defer { coordinator.stop() }
    let bystander = Bystander(coordinator: coordinator) { number in
      ("say \(number)", LiveCast.answer(to: number))
    }
    let watching = Task { await bystander.watch() }
    let exits = Tally()
    var problems = try await withThrowingTaskGroup(of: [String].self) { group in
      for index in 0..<Self.sessions {
        group.addTask { try await talk(index, coordinator, until: count, exits) }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    watching.cancel()
    let watched = await watching.value
    problems += watched.problems
    if watched.answers == 0 { problems.append("the bystander had no answer at all") }
    if !coordinator.isRunning { problems.append("the coordinator is gone") }
    let peak = coordinator.peakMegabytes
    if peak > Self.maximumMegabytes { problems.append("the coordinator had \(peak) MB") }
    // What a liar says stays in its own conversation as it was said.
    problems += await coordinator.flaws(of: Bystander.session)
    return Findings(
      lies: lies,
      exits: exits,
      answers: watched.answers,
      peakMegabytes: peak,
      problems: problems
    )
  }

  /// Has liars take part in one conversation after another, as friends and as holders of the baton.
  private func talk(
    _ index: Int,
    _ coordinator: Coordinator,
    until count: Int,
    _ exits: Tally
  ) async throws -> [String] {
    var problems: [String] = []
    var number = 0
    while lies < count, coordinator.isRunning, problems.count < 20 {
      let prompt = number % 4 == 0 ? "pass liar" : "ask liar 4"
      let session = "s\(index)-\(number / Self.turnsOfSession)"
      do {
        let summary = try await coordinator.ask(
          prompt,
          in: session,
          caps: "rounds=8,calls=8,seconds=5,fanout=4",
          patience: Self.patience
        )
        if let summary { exits.add(Self.name(of: summary.exit)) }
        if summary == nil { problems.append("'\(prompt)' in \(session) did not end") }
      } catch {
        problems.append("'\(prompt)' in \(session): \(error)")
      }
      number += 1
    }
    return problems
  }

  private static func name(of exit: TurnExit) -> String {
    if case .failed = exit { "failed" } else { "\(exit)" }
  }
}
