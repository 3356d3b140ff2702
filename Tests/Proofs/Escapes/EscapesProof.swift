import ArgumentParser
import Foundation
import TestSupport

/// Has the code of agents try to get out of their workers.
struct EscapesProof: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "escapes",
    abstract: "Ways out of a worker, tried by the code of an agent in it.",
    discussion: """
      Each is tried without the sandbox first, to see that it is one on this machine. An agent that \
      may use the network, or run a program, tries everything that it may not.
      """
  )

  @Option(help: "Only the attempts in whose names this stands.")
  var only = ""

  @Flag(help: "Only the attempts on what a coordinator keeps.")
  var product = false

  /// Fewer real attempts would prove nothing.
  private static let enough = 25

  func run() async throws {
    let attempts = Attempt.all.filter { attempt in
      (only.isEmpty || attempt.name.contains(only)) && (!product || attempt.isOfProduct)
    }
    let home = try ProofHome()
    defer { home.remove() }
    try EscapeStage.prepare(home)
    let real = try await realOnes(of: attempts, in: home)
    guard real.count >= (attempts.count < Attempt.all.count ? 1 : Self.enough) else {
      throw Broken(description: "Only \(real.count) attempts succeed without the sandbox.")
    }
    var (tried, escapes, lost) = (0, [String](), [String]())
    for inmate in EscapeStage.Inmate.all {
      let stage = try await EscapeStage(home, inmate, isConfined: true)
      defer { stage.close() }
      for attempt in attempts where !inmate.isAllowed(attempt) {
        tried += 1
        switch try await stage.outcome(of: attempt) {
        case .escaped: escapes.append("\(inmate.name): \(attempt.name)")
        case .held: break
        case .lost(let words): lost.append("\(inmate.name): \(attempt.name): \(words)")
        }
      }
    }
    for line in escapes { Self.note("succeeded: \(line)") }
    for line in lost { Self.note("ended its worker: \(line)") }
    print(
      "escapes: \(attempts.count) ways, \(real.count) of which are open without the sandbox,"
        + " tried \(tried) times by agents of \(EscapeStage.Inmate.all.count) permissions:"
        + " \(escapes.count) succeeded"
    )
    guard escapes.isEmpty else { throw ExitCode.failure }
  }

  /// The detector: returns the attempts that succeed where nothing is confined.
  private func realOnes(of attempts: [Attempt], in home: ProofHome) async throws -> [Attempt] {
    let stage = try await EscapeStage(home, .prisoner, isConfined: false)
    defer { stage.close() }
    var real: [Attempt] = []
    for attempt in attempts {
      let outcome = try await stage.outcome(of: attempt)
      if outcome == .escaped {
        real.append(attempt)
      } else {
        Self.note("not possible on this machine: \(attempt.name): \(outcome)")
      }
    }
    return real
  }

  private static func note(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
