import Foundation
import Wire

/// What a template has done: which model it has loaded, and which agent's prefix it has computed.
struct TemplateKey: Hashable, Sendable {
  struct Model: Hashable, Sendable {
    let path: String
    let version: FileVersion
    let projector: String?
    /// By what the model may see, as it is now: what was named, or those beside it; one that was missing
    /// may have been brought.
    let sight: [String]
    let contextSize: Int?
  }

  /// `nil` for the program's template, which has only begun.
  let model: Model?
  /// The compiled agent; `nil` for a model's template, and for the program's.
  let plugin: String?
  /// Where the agent's prefixes are kept; only an agent's template has any.
  let snapshots: String?

  static let program = TemplateKey(model: nil)

  /// What the template of a worker has done; `nil` for one that cannot have a template.
  init?(_ hello: Hello) {
    guard let plugin = hello.plugin else { return nil }
    guard let path = hello.model else {
      self = .program
      return
    }
    guard let version = FileVersion(ModelParts.of(path)) else { return nil }
    model = Model(
      path: path,
      version: version,
      projector: hello.projector,
      sight: (hello.projector.map { [$0] } ?? Projectors.beside(path)).map { file in
        "\(file) \(FileVersion(file)?.description ?? "")"
      },
      contextSize: hello.contextSize
    )
    self.plugin = plugin
    snapshots = hello.snapshots
  }

  private init(model: Model?) {
    self.model = model
    plugin = nil
    snapshots = nil
  }

  /// The template that this one is forked from; `nil` for the program's, which is started from nothing.
  var parent: TemplateKey? {
    if plugin != nil { return TemplateKey(model: model) }
    return model == nil ? nil : .program
  }

  /// It, and those that have to be there before it.
  var line: [TemplateKey] { [self] + (parent?.line ?? []) }

  /// What a person calls it.
  var name: String {
    "template-\(agent?.lowercased() ?? (model == nil ? "program" : "model"))"
  }

  /// The agent's name without what tells one version of it from another.
  private var agent: String? {
    guard let plugin else { return nil }
    let base = URL(filePath: plugin).deletingPathExtension().lastPathComponent
    return base.lastIndex(of: "-").map { String(base[..<$0]) } ?? base
  }

  /// Whether this is what another has become: its agent was compiled anew, or the files of its model are
  /// others.
  func replaces(_ other: TemplateKey) -> Bool {
    guard model?.path == other.model?.path, model?.contextSize == other.model?.contextSize else {
      return false
    }
    if model?.version != other.model?.version || model?.sight != other.model?.sight { return true }
    return plugin != other.plugin && plugin != nil && agent == other.agent
  }

  /// What a process is told that is to become it.
  func hello(_ run: RunID, of agent: Hello?) -> Hello {
    Hello(
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
