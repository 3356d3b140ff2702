import PlatformLibraries
import Wire

/// What a template has prepared: the model it has loaded, and the agent whose prefix it has
/// computed.
struct TemplateKey: Hashable, Sendable {
  struct Model: Hashable, Sendable {
    let path: String
    let version: FileVersion
    let projector: String?
    /// The current versions of the named projector, or of those beside the model, because a missing
    /// one may have been added.
    let sight: [String]
    let contextSize: Int?
  }

  /// `nil` for the program's template, which has only started.
  let model: Model?
  /// The compiled agent; `nil` for a model's template and for the program's.
  let plugin: String?
  /// The folder for the agent's prefixes; only an agent's template has one.
  let snapshots: String?

  static let program = TemplateKey(model: nil)

  /// Makes the key of a worker's template; `nil` for a worker that cannot have one.
  init?(_ configuration: WorkerConfiguration) {
    guard let plugin = configuration.plugin else { return nil }
    guard let path = configuration.model else {
      self = .program
      return
    }
    guard let version = FileVersion(ModelParts.of(path)) else { return nil }
    model = Model(
      path: path,
      version: version,
      projector: configuration.projector,
      sight: (configuration.projector.map { [$0] } ?? ProjectorFiles.beside(path)).map { file in
        "\(file) \(FileVersion(file)?.description ?? "")"
      },
      contextSize: configuration.contextSize
    )
    self.plugin = plugin
    snapshots = configuration.snapshots
  }

  private init(model: Model?) {
    self.model = model
    plugin = nil
    snapshots = nil
  }

  /// The template that this one is forked from; `nil` for the program's, which is started from
  /// scratch.
  var parent: TemplateKey? {
    if plugin != nil { return TemplateKey(model: model) }
    return model == nil ? nil : .program
  }

  /// This template and all those that must exist before it.
  var line: [TemplateKey] { [self] + (parent?.line ?? []) }

  /// The name shown to a person.
  var name: String {
    "template-\(agent?.lowercased() ?? (model == nil ? "program" : "model"))"
  }

  /// The agent's name without its version.
  private var agent: String? {
    guard let plugin else { return nil }
    let base = URL(filePath: plugin).deletingPathExtension().lastPathComponent
    return base.lastIndex(of: "-").map { String(base[..<$0]) } ?? base
  }

  /// Returns whether this is a newer version of another: its agent was recompiled, or its model's
  /// files have changed.
  func replaces(_ other: TemplateKey) -> Bool {
    guard model?.path == other.model?.path, model?.contextSize == other.model?.contextSize else {
      return false
    }
    if model?.version != other.model?.version || model?.sight != other.model?.sight { return true }
    return plugin != other.plugin && plugin != nil && agent == other.agent
  }

  /// Returns the configuration for the process that is to become this template.
  func configuration(_ run: RunID, of agent: WorkerConfiguration?) -> WorkerConfiguration {
    WorkerConfiguration(
      run: run,
      role: .template,
      plugin: plugin,
      model: model?.path,
      projector: model?.projector,
      contextSize: model?.contextSize,
      snapshots: snapshots,
      agent: agent?.agent,
      confinement: agent?.confinement
    )
  }
}

/// The image projectors that a model might use when none was named.
///
/// The worker that loads the model finds out which of them belongs to it.
enum ProjectorFiles {
  static func beside(_ model: String) -> [String] {
    let folder = model.lastIndex(of: "/").map { String(model[..<$0]) } ?? "."
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.contains("mmproj") && $0.hasSuffix(".gguf") }.sorted()
      .map { "\(folder)/\($0)" }
  }
}
