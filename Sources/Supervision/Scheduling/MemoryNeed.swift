import PlatformLibraries
import Wire

/// How much memory a process will take of its own, estimated from the size of its model's files.
struct MemoryNeed: Equatable, Sendable {
  /// What the program takes without a model, started from scratch and as a fork.
  private static let program = 24_000_000
  private static let fork = 6_000_000
  /// Vocabulary and compute buffers.
  private static let margin = 32_000_000

  var bytes: Int
  /// Whether part of it is taken only after the process is ready: a fork shares the context with
  /// its template until it writes to it.
  var isGradual = false

  static func template(_ key: TemplateKey) -> MemoryNeed {
    guard let model = key.model else { return MemoryNeed(bytes: program) }
    let files = ModelFiles(model)
    // Instructions and tools that fill more than a quarter of the context would leave little of it.
    return MemoryNeed(bytes: key.plugin == nil ? whole(files) : fork + files.context / 4)
  }

  static func fork(of key: TemplateKey) -> MemoryNeed {
    let context = key.model.map { ModelFiles($0).context } ?? 0
    return MemoryNeed(bytes: fork + context, isGradual: true)
  }

  /// Returns the need of a worker started from scratch, which allocates its whole context at once.
  static func alone(_ configuration: WorkerConfiguration) -> MemoryNeed {
    guard let path = configuration.model else { return MemoryNeed(bytes: program) }
    return MemoryNeed(
      bytes: whole(
        ModelFiles(path, projector: configuration.projector, contextSize: configuration.contextSize)
      )
    )
  }

  private static func whole(_ files: ModelFiles) -> Int {
    program + files.bytes + files.context + margin
  }

  static func + (one: MemoryNeed, other: MemoryNeed) -> MemoryNeed {
    MemoryNeed(bytes: one.bytes + other.bytes, isGradual: one.isGradual || other.isGradual)
  }
}

/// The files of a model, and what its context takes.
struct ModelFiles {
  /// In models of all sizes, the keys and values of a token take about this part of the files.
  private static let tokensPerSize = 32_768
  /// More than any machine has, yet small enough to multiply by a context size.
  private static let maximum = 1 << 48

  let bytes: Int
  /// The bytes that a full context takes.
  let context: Int

  init(_ model: TemplateKey.Model) {
    self.init(model.path, projector: model.projector, contextSize: model.contextSize)
  }

  /// - Parameter projector: A projector that was named. Those found beside the model may belong to
  ///   other models.
  init(_ path: String, projector: String?, contextSize: Int?) {
    let weights = Self.size(of: ModelParts.of(path))
    bytes = weights + Self.size(of: projector.map { [$0] } ?? [])
    let tokens = contextSize ?? WorkerConfiguration.defaultContextSize
    let (product, isTooLarge) = (weights / Self.tokensPerSize)
      .multipliedReportingOverflow(by: tokens)
    context = isTooLarge ? Self.maximum : min(Self.maximum, product)
  }

  /// Returns the total size of files, capped because any of them may be absurdly large.
  static func size(of files: [String]) -> Int {
    files.reduce(0) { sum, file in
      var facts = stat()
      guard stat(file, &facts) == 0 else { return sum }
      return min(maximum, sum + min(maximum, Int(facts.st_size)))
    }
  }
}
