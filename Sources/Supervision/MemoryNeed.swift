import Foundation
import Wire

/// What a process needs of the memory for itself, as far as is known before there was one of its kind.
struct MemoryNeed: Equatable, Sendable {
  /// Processes of one kind need as much.
  struct Kind: Hashable, Sendable {
    enum Origin: Sendable {
      case template, fork
      /// Started from nothing, or forked from the program's template, which is nearly that.
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
  /// Bytes that it has taken when it is ready.
  let load: Int
  /// Bytes that it may take from then on.
  let growth: Int
}

extension MemoryNeed {
  /// What the program takes without a model: one that was started from nothing, and a fork of one.
  private static let program = 24_000_000
  private static let fork = 6_000_000

  /// What a template needs.
  init(template key: TemplateKey) {
    let model = key.model.map(ModelFootprint.init)
    let isAgent = key.plugin != nil
    self.init(
      kind: Kind(.template, key),
      // Instructions and tools that filled more than a quarter of the window would leave little of
      // it.
      load: isAgent
        ? Self.fork + (model?.cache ?? 0) / 4 : Self.program + (model?.bytes ?? 0),
      growth: 0
    )
  }

  /// What a worker needs that is forked from a template: the window is its template's until it writes
  /// to it.
  init(fork key: TemplateKey) {
    let model = key.model.map(ModelFootprint.init)
    self.init(kind: Kind(.fork, key), load: Self.fork, growth: model?.cache ?? 0)
  }

  /// What a worker needs that has no template of its own: its window is all there from the start.
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

/// What a model takes of the memory, by what its file says.
struct ModelFootprint {
  /// The weights: read or repacked they are the process's own, mapped they have to be there all the
  /// same for it to be of any use.
  let weights: Int
  /// The keys and values of the whole window.
  let cache: Int
  /// The vocabulary, what computing needs, and what turns images into embeddings.
  let rest: Int

  var bytes: Int { weights + cache + rest }

  /// The window of a worker where nobody asks for another.
  private static let defaultContextSize = 8192
  /// More than any machine has, and far from what cannot be added up.
  static let maximum = 1 << 48

  fileprivate init(_ model: TemplateKey.Model) {
    self.init(model.path, projector: model.projector, contextSize: model.contextSize)
  }

  /// - Parameter projector: One that was named. Those that are only found may be other models', and the
  ///   largest of them would keep a small model from being loaded.
  init(_ path: String, projector: String? = nil, contextSize: Int?) {
    let header = GGUFHeader.known(path)
    let window =
      contextSize
      ?? min(Self.defaultContextSize, header.trainedContextSize ?? Self.defaultContextSize)
    weights = Self.size(of: ModelParts.of(path))
    // Where the file does not say it, as much as a model of some billion parameters takes.
    let cachePerToken = header.cacheBytesPerToken ?? 128 * 1024
    cache = min(Self.maximum, product(window, cachePerToken) ?? Self.maximum)
    rest =
      32_000_000 + min(1 << 24, header.vocabularySize ?? 0) * 512
      + Self.size(of: projector.map { [$0] } ?? [])
  }

  /// The bytes of files, of which any may be larger than all that there is room for.
  static func size(of files: [String]) -> Int {
    files.reduce(0) { sum, file in
      var facts = stat()
      guard stat(file, &facts) == 0 else { return sum }
      return min(maximum, sum + min(maximum, Int(facts.st_size)))
    }
  }
}
