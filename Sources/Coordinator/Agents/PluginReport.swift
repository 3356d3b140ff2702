package import Plugins
import Supervision

extension PluginStore.Report {
  /// Returns what a person is told while the agents of a folder are compiled.
  package func note(of folder: String) -> String {
    switch self {
    case .compiling(let source): "Compiling \(source)."
    case .failed(let source, let output, let keepsOld):
      "\(Self.unusable(source, keepsOld)):\n\(output)"
    case .stillFails(let source, let keepsOld):
      "\(Self.unusable(source, keepsOld)). Run '\(Self.check(folder))' for details."
    case .replaced(let place):
      "\(LaunchError.replaced(folder: place)) Until then, agents stay as they are."
    }
  }

  private static func check(_ folder: String) -> String {
    let isFound = folder == AgentFolder.path(named: nil)
    return "orchestrator agents check" + (isFound ? "" : " --agents \(folder)")
  }

  private static func unusable(_ source: String, _ keepsOld: Bool) -> String {
    "\(source) cannot be used" + (keepsOld ? "; its previous version stays in use" : "")
  }
}
