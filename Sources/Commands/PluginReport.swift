import Plugins

extension PluginStore.Report {
  /// What a person is told while agents are compiled.
  var note: String {
    switch self {
    case .compiling(let source): return "compiling \(source)"
    case .failed(let source, let output, let keepsOld):
      let outcome = keepsOld ? "; its last version stays in use" : ""
      return "\(source) cannot be used\(outcome):\n\(output)"
    }
  }
}
