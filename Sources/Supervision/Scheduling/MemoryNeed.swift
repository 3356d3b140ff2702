import Foundation
import Wire

/// What a process needs of memory for itself, as far as is known before the first of its kind.
struct MemoryNeed: Equatable, Sendable {
  /// Processes of one kind need the same amount.
  struct Kind: Hashable, Sendable {
    enum Origin: Sendable {
      case template, fork
      /// Started from scratch, or forked from the program's template, which is nearly the same.
      case alone
    }

    let origin: Origin
    let model: String?
    let modelVersion: FileVersion?
    let projector: String?
    let contextSize: Int?
    let plugin: String?
  }

  let kind: Kind
  /// The bytes that it has taken by the time it is ready.
  let load: Int
  /// The bytes that it may take from then on.
  let growth: Int
}

extension MemoryNeed {
  /// What the program takes without a model, started from scratch and as a fork.
  private static let program = 24_000_000
  private static let fork = 6_000_000

  /// Estimates what a template needs.
  init(template key: TemplateKey) {
    let model = key.model.map(ModelFootprint.init)
    let isAgent = key.plugin != nil
    self.init(
      kind: Kind(.template, key),
      // Instructions and tools that fill more than a quarter of the window would leave little of
      // it.
      load: isAgent
        ? Self.fork + (model?.cache ?? 0) / 4 : Self.program + (model?.bytes ?? 0),
      growth: 0
    )
  }

  /// Estimates what a fork of a template needs: it shares the window until it writes to it.
  init(fork key: TemplateKey) {
    let model = key.model.map(ModelFootprint.init)
    self.init(kind: Kind(.fork, key), load: Self.fork, growth: model?.cache ?? 0)
  }

  /// Estimates what a worker without its own template needs: its whole window is there from the
  /// start.
  init(alone hello: Hello) {
    let model = hello.model.map {
      ModelFootprint($0, projector: hello.projector, contextSize: hello.contextSize).bytes
    }
    self.init(
      kind: Kind(
        origin: .alone,
        model: hello.model,
        modelVersion: hello.model.flatMap(FileVersion.init),
        projector: hello.projector,
        contextSize: hello.contextSize,
        plugin: hello.plugin
      ),
      load: Self.program + (model ?? 0),
      growth: 0
    )
  }
}

extension MemoryNeed.Kind {
  fileprivate init(_ origin: Origin, _ key: TemplateKey) {
    self.init(
      origin: origin,
      model: key.model?.path,
      modelVersion: key.model?.version,
      projector: key.model?.projector,
      contextSize: key.model?.contextSize,
      plugin: key.plugin
    )
  }
}

/// What a model takes of memory, according to its file.
struct ModelFootprint {
  /// The weights: the process's own when read or repacked, and needed in memory even when mapped.
  let weights: Int
  /// The keys and values of the whole window.
  let cache: Int
  /// The vocabulary, compute buffers, and the projector that turns images into embeddings.
  let rest: Int

  var bytes: Int { weights + cache + rest }

  /// More than any machine has, yet small enough to add up without overflow.
  static let maximum = 1 << 48

  fileprivate init(_ model: TemplateKey.Model) {
    self.init(model.path, projector: model.projector, contextSize: model.contextSize)
  }

  /// - Parameter projector: A projector that was named. Those merely found may belong to other
  ///   models, and the largest of them would keep a small model from being loaded.
  init(_ path: String, projector: String? = nil, contextSize: Int?) {
    let header = GGUFHeader.known(path)
    let window =
      contextSize
      ?? min(Hello.defaultContextSize, header.trainedContextSize ?? Hello.defaultContextSize)
    weights = Self.size(of: ModelParts.of(path))
    // Where the file does not say, as much as a model of a few billion parameters takes.
    let cachePerToken = header.cacheBytesPerToken ?? 128 * 1024
    cache = min(Self.maximum, product(window, cachePerToken) ?? Self.maximum)
    rest =
      32_000_000 + min(1 << 24, header.vocabularySize ?? 0) * 512
      + Self.size(of: projector.map { [$0] } ?? [])
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
