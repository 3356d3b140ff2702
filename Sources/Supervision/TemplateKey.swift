import Foundation
import Wire

/// What a template has done: which model it has loaded, and which agent's prefix it has computed.
struct TemplateKey: Hashable, Sendable {
  let model: String
  let modelVersion: FileVersion
  let projector: String?
  /// By what the model may see: what was named, as it is now, or the names of those beside it; one that
  /// was missing may have been brought.
  let sight: [String]
  let contextSize: Int?
  /// The compiled agent; `nil` for a model's template.
  let plugin: String?
  /// Where the agent's prefixes are kept; a model's template has none.
  let snapshots: String?

  /// What the template of a worker has done; `nil` for one that cannot have a template.
  init?(_ hello: Hello) {
    guard let model = hello.model, let plugin = hello.plugin,
      let version = FileVersion(ModelParts.of(model))
    else { return nil }
    self.model = model
    modelVersion = version
    projector = hello.projector
    sight =
      hello.projector.map { [FileVersion($0)?.description ?? ""] } ?? Projectors.beside(model)
    contextSize = hello.contextSize
    self.plugin = plugin
    snapshots = hello.snapshots
  }

  private init(parentOf key: TemplateKey) {
    model = key.model
    modelVersion = key.modelVersion
    projector = key.projector
    sight = key.sight
    contextSize = key.contextSize
    plugin = nil
    snapshots = nil
  }

  /// The template that this one is forked from; `nil` for a model's, which is started from nothing.
  var parent: TemplateKey? { plugin.map { _ in TemplateKey(parentOf: self) } }

  /// What a person calls it.
  var name: String { "template-\(agent?.lowercased() ?? "model")" }

  /// The agent's name without what tells one version of it from another.
  private var agent: String? {
    guard let plugin else { return nil }
    let base = URL(filePath: plugin).deletingPathExtension().lastPathComponent
    return base.lastIndex(of: "-").map { String(base[..<$0]) } ?? base
  }

  /// Whether this is what another has become: its agent was compiled anew, or the files of its model are
  /// others.
  func replaces(_ other: TemplateKey) -> Bool {
    guard model == other.model, contextSize == other.contextSize else { return false }
    if modelVersion != other.modelVersion || sight != other.sight { return true }
    return plugin != other.plugin && plugin != nil && agent == other.agent
  }

  /// What a process is told that is to become it.
  func hello(_ run: RunID, of agent: Hello?) -> Hello {
    Hello(
      run: run,
      role: .template,
      plugin: plugin,
      model: model,
      projector: projector,
      contextSize: contextSize,
      snapshots: snapshots,
      agent: agent?.agent,
      confinement: agent?.confinement
    )
  }
}
