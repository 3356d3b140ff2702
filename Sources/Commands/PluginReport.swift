import Plugins

extension PluginStore.Report {
  /// What a person is told while agents are compiled.
  var note: String {
    switch self {
    case .compiling(let source): "compiling \(source)"
    case .failed(let source, let output, let keepsOld):
      "\(Self.unusable(source, keepsOld)):\n\(output)"
    case .stillFails(let source, let keepsOld):
      "\(Self.unusable(source, keepsOld)); 'orchestrator agents check' says why"
    }
  }

  private static func unusable(_ source: String, _ keepsOld: Bool) -> String {
    "\(source) cannot be used" + (keepsOld ? "; its last version stays in use" : "")
  }
}
