import ArgumentParser
import Foundation

/// Decodes mutated streams of both directions, or sends them to live processes.
struct FramesProof: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "frames",
    abstract: "Streams of frames, mutated, decoded in both directions.",
    discussion:
      "They are decoded in processes of their own: a trap or a hang is then one of theirs."
  )

  @Option(help: "How many streams are decoded.")
  var count = 10_000_000

  @Option(help: "Sends so many to live workers and to a live coordinator, and decodes none.")
  var live: Int?

  @Option(help: "What the mutations are made from.")
  var seed: UInt64 = 1

  @Option(help: .hidden)
  var plant: FrameBatch.Plant?

  @Flag(help: .hidden)
  var isBatch = false

  private static let batch = 250_000
  private static let patience = Duration.seconds(600)

  func run() async throws {
    if isBatch {
      let outcomes = FrameBatch(count: count, seed: seed, plant: plant).run()
      print("\(outcomes.whole) \(outcomes.refused) \(outcomes.unfinished)")
      return
    }
    if let live { return try await LiveFrames(count: live, seed: seed).run() }
    try await prove(.trap, patience: Self.patience)
    try await prove(.hang, patience: .seconds(2))
    var (total, failures) = (FrameBatch.Outcomes(), 0)
    for begin in stride(from: 0, to: count, by: Self.batch) {
      let size = min(Self.batch, count - begin)
      let end = try await Child.run(
        ["frames", "--is-batch", "--count", "\(size)", "--seed", "\(seed &+ UInt64(begin))"],
        patience: Self.patience
      )
      guard end.isSuccess, let outcomes = FrameBatch.Outcomes(end.output) else {
        failures += 1
        continue
      }
      total += outcomes
    }
    print(
      "frames: \(total.sum) of \(count) mutated streams decoded, seed \(seed):"
        + " \(total.whole) whole, \(total.refused) refused, \(total.unfinished) unfinished;"
        + " \(failures) batches crashed or hung"
    )
    guard failures == 0, total.sum == count else { throw ExitCode.failure }
  }

  /// Checks that a decoder that traps or never ends is noticed.
  private func prove(_ plant: FrameBatch.Plant, patience: Duration) async throws {
    let end = try await Child.run(
      ["frames", "--is-batch", "--count", "1000", "--plant", plant.rawValue],
      patience: patience
    )
    guard !end.isSuccess else {
      throw Broken(description: "A decoder with a planted \(plant) was not noticed.")
    }
  }
}
