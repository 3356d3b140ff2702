import AgentKit
import ArgumentParser
import Coordination
import Foundation
import TestSupport

/// Has models answer that want no turn to end.
struct TurnsProof: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "turns",
    abstract:
      "Turns of models that never stop, call in circles, answer nonsense, nothing or too much."
  )

  @Option(help: "How many turns.")
  var count = 10_000

  @Option(help: "What the choices are made from.")
  var seed: UInt64 = 1

  private static let turnsOfSession = 20
  /// Far longer than the cap on seconds.
  private static let patience = Duration.seconds(30)

  func run() async throws {
    let home = try ProofHome()
    defer { home.remove() }
    try Adversary.write(to: home.folder + "/agents")
    let coordinator = try await home.coordinator(agents: [], beginner: "adversary")
    defer { coordinator.stop() }
    // The detector: a turn that is still under way is noticed.
    let silent = try await coordinator.ask(
      "silence",
      in: "detector",
      caps: Self.caps(seconds: 8),
      patience: .seconds(1)
    )
    guard silent == nil else {
      throw Broken(description: "A turn that had not ended was not noticed.")
    }
    var random = Seeded(seed)
    var exits: [String: Int] = [:]
    var problems: [String] = []
    for index in 0..<max(1, count) {
      let way = Adversary.Way.random(using: &random)
      let session = "s\(index / Self.turnsOfSession)"
      let exit = try await coordinator.ask(
        way.rawValue,
        in: session,
        caps: Self.caps(seconds: way.isLong ? 1 : 60),
        patience: Self.patience
      )?.exit
      exits["\(way): \(exit.map { Self.name(of: $0) } ?? "none")", default: 0] += 1
      if exit.map(way.isExpected) != true { problems.append("\(index): \(way) → \(exit as Any)") }
      if !coordinator.isRunning { throw Broken(description: "The coordinator is gone.") }
    }
    for (name, count) in exits.sorted(by: { $0.key < $1.key }) { note("\(name) \(count)") }
    for problem in problems.prefix(20) { note(problem) }
    print(
      "turns: \(count) turns of adversarial models, seed \(seed):"
        + " \(problems.count) without an end that is named and right"
    )
    guard problems.isEmpty else { throw ExitCode.failure }
  }

  private static func caps(seconds: Int) -> String {
    "rounds=6,calls=8,tokens=4000,seconds=\(seconds)"
  }

  private static func name(of exit: TurnExit) -> String {
    if case .failed = exit { "failed" } else { "\(exit)" }
  }
}
