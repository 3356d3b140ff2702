import Foundation
import Llama

/// The gain and cost of repacking weights for this CPU, on which `Repacking` is based.
enum RepackingRow {
  private static let tokens = 256

  static func run(_ plan: Plan) async throws -> Outcome {
    var speed = (
      packed: Sample("repacked", unit: "tokens/s"), plain: Sample("mapped", unit: "tokens/s")
    )
    var own = (packed: Sample("repacked", unit: "MB"), plain: Sample("mapped", unit: "MB"))
    for _ in 0..<plan.runs(5) {
      let packed = try measure(plan.fixtures.model, isRepacked: true)
      let plain = try measure(plan.fixtures.model, isRepacked: false)
      speed.packed.add(packed.speed)
      speed.plain.add(plain.speed)
      own.packed.add(packed.megabytes)
      own.plain.add(plain.megabytes)
    }
    return Outcome(rows: [
      Row(
        name: "computing a prompt, weights repacked for this CPU",
        measured: speed.packed,
        against: speed.plain,
        goal: .none,
        expected: "1.4"
      ),
      Row(
        name: "the same, memory of its own",
        measured: own.packed,
        against: own.plain,
        goal: .none,
        expected: "2.7",
        remark: "of one process, which forks share; each that is started from nothing has as much"
      ),
    ])
  }

  /// Returns the prompt tokens per second on one thread, and the memory the process then has that
  /// no file backs.
  private static func measure(
    _ path: String,
    isRepacked: Bool
  ) throws -> (speed: Double, megabytes: Double) {
    var options = LlamaModel.Options()
    options.usesExtraBuffers = isRepacked
    let model = try LlamaModel(path: path, options: options)
    var window = LlamaContext.Options()
    window.contextSize = 1024
    let context = try LlamaContext(model: model, options: window)
    let prompt = model.tokens(of: Words.text(tokens: 2 * tokens))
    // A first run, because anything used for the first time has to be found first.
    try context.prefill(Array(prompt.prefix(16)))
    try context.clear(0)
    let start = ContinuousClock.now
    try context.prefill(Array(prompt.prefix(tokens)))
    let time = ContinuousClock.now - start
    let megabytes = Memory.own(of: getpid(), isWritten: true)
    return (Double(tokens) / (time / .seconds(1)), megabytes)
  }
}
