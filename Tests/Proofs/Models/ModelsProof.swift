import ArgumentParser
import Foundation
import TestSupport

/// Has agents run on broken models.
struct ModelsProof: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "models",
    abstract: "Model files, broken in all ways, in real workers of one coordinator.",
    discussion:
      "A friend runs on each file. It answers, says what is wrong with it, or dies; who asked it reads"
      + " which."
  )

  @Option(help: "How many files.")
  var count = 1000

  @Option(help: "What the choices are made from.")
  var seed: UInt64 = 1

  /// How often the whole file is put back and must be answered from.
  private static let pause = 20

  func run() async throws {
    let stage = try await ModelStage()
    do {
      try await stage.prove()
      var random = Seeded(seed)
      var outcomes: [String: Int] = [:]
      var problems: [String] = []
      for index in 0..<max(1, count) {
        let way = ModelMutation.Way.allCases[index % ModelMutation.Way.allCases.count]
        let outcome = try await stage.ask(about: stage.mutation.make(way, using: &random))
        outcomes["\(way): \(outcome.name)", default: 0] += 1
        if case .wrong(let problem) = outcome { problems.append("\(index) (\(way)): \(problem)") }
        if let problem = try await stage.checkOthers(index, isPause: index % Self.pause == 0) {
          problems.append("\(index) (\(way)): \(problem)")
        }
        if problems.count >= 20 { break }
        if index % 100 == 99 { note("\(index + 1) files: \(problems.count) problems") }
      }
      problems += await stage.remains()
      for (name, count) in outcomes.sorted(by: { $0.key < $1.key }) { note("\(name) \(count)") }
      for sentence in await stage.sentences { note(sentence) }
      for problem in problems { note(problem) }
      await stage.close()
      print(
        "models: \(outcomes.values.reduce(0, +)) broken files, seed \(seed):"
          + " \(Self.sum(outcomes, "refused")) refused with the reason,"
          + " \(Self.sum(outcomes, "died")) typed deaths,"
          + " \(Self.sum(outcomes, "answered")) answered all the same;"
          + " \(await stage.answers) answers from the whole file,"
          + " peak of all processes \(await stage.peakMegabytes) MB; \(problems.count) problems"
      )
      guard problems.isEmpty else { throw ExitCode.failure }
    } catch {
      await stage.close()
      throw error
    }
  }

  private static func sum(_ outcomes: [String: Int], _ name: String) -> Int {
    outcomes.filter { $0.key.hasSuffix(": \(name)") }.values.reduce(0, +)
  }
}
