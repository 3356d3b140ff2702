import CSystem
import Llama
import Supervision

/// What a friend computes, without a friend: in this process, which holds the same prefix in memory of
/// the same kind, and is told nothing by anybody.
struct LoneStep {
  private let context: LlamaContext
  private let prefix: [Token]

  init(_ model: String, prefix tokens: Int) throws {
    var loading = LlamaModel.Options()
    loading.isMapped = false
    let model = try LlamaModel(path: model, options: loading)
    context = try LlamaContext(model: model)
    context.coreCount = { Machine.cores() }
    context.keepsThreads = true
    prefix = Array(model.tokens(of: Words.text(tokens: 2 * tokens)).prefix(tokens))
    try context.prefill(prefix)
    _ = csystem_collapse_memory()
  }

  /// Computes so many tokens after the prefix, which is as it was afterwards.
  func time(of count: Int) throws -> Duration {
    let tokens = prefix + prefix.prefix(count)
    let start = ContinuousClock.now
    try context.prefill(tokens)
    let time = ContinuousClock.now - start
    try context.prefill(prefix)
    return time
  }
}
